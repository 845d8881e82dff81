public import Foundation
public import StarlingBinding

/// What of a date is chosen.
public struct DatePickerComponents: OptionSet, Sendable, Hashable {
  public let rawValue: UInt

  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Day, month and year.
  public static let date = DatePickerComponents(rawValue: 1)
  /// Hour and minute.
  public static let hourAndMinute = DatePickerComponents(rawValue: 2)
}

/// Chooses a date: typed as `2026-11-25 09:30`, or in steps of a day, or of a minute where only the time is chosen.
///
/// Dates are written in the environment's calendar and time zone. What is no date, or not in the range, is not stored.
public struct DatePicker<Label: View>: View {
  /// What of a date is chosen.
  public typealias Components = DatePickerComponents
  public typealias Body = Never
  private let selection: Binding<Date>
  private let range: ClosedRange<Date>
  private let components: Components
  private let label: Label

  private init(_ selection: Binding<Date>, _ range: ClosedRange<Date>, _ components: Components, _ label: Label) {
    self.selection = selection
    self.range = range
    self.components = components
    self.label = label
  }

  /// Chooses any date.
  public init(
    selection: Binding<Date>, displayedComponents: Components = [.hourAndMinute, .date],
    @ViewBuilder label: () -> Label
  ) {
    self.init(selection, .distantPast ... .distantFuture, displayedComponents, label())
  }

  /// Chooses a date within a range.
  public init(
    selection: Binding<Date>, in range: ClosedRange<Date>, displayedComponents: Components = [.hourAndMinute, .date],
    @ViewBuilder label: () -> Label
  ) {
    self.init(selection, range, displayedComponents, label())
  }

  /// Chooses a date from one on.
  public init(
    selection: Binding<Date>, in range: PartialRangeFrom<Date>,
    displayedComponents: Components = [.hourAndMinute, .date], @ViewBuilder label: () -> Label
  ) {
    self.init(selection, range.lowerBound ... .distantFuture, displayedComponents, label())
  }

  /// Chooses a date up to one.
  public init(
    selection: Binding<Date>, in range: PartialRangeThrough<Date>,
    displayedComponents: Components = [.hourAndMinute, .date], @ViewBuilder label: () -> Label
  ) {
    self.init(selection, .distantPast...range.upperBound, displayedComponents, label())
  }
}

extension DatePicker where Label == Text {
  /// Chooses any date, under a title.
  public init(
    _ title: LocalizedStringKey, selection: Binding<Date>, displayedComponents: Components = [.hourAndMinute, .date]
  ) {
    self.init(selection: selection, displayedComponents: displayedComponents) { Text(title) }
  }

  /// Chooses any date, under a title.
  @_disfavoredOverload public init(
    _ title: some StringProtocol, selection: Binding<Date>, displayedComponents: Components = [.hourAndMinute, .date]
  ) {
    self.init(selection: selection, displayedComponents: displayedComponents) { Text(title) }
  }

  /// Chooses a date within a range, under a title.
  public init(
    _ title: LocalizedStringKey, selection: Binding<Date>, in range: ClosedRange<Date>,
    displayedComponents: Components = [.hourAndMinute, .date]
  ) {
    self.init(selection: selection, in: range, displayedComponents: displayedComponents) { Text(title) }
  }

  /// Chooses a date from one on, under a title.
  public init(
    _ title: LocalizedStringKey, selection: Binding<Date>, in range: PartialRangeFrom<Date>,
    displayedComponents: Components = [.hourAndMinute, .date]
  ) {
    self.init(selection: selection, in: range, displayedComponents: displayedComponents) { Text(title) }
  }

  /// Chooses a date up to one, under a title.
  public init(
    _ title: LocalizedStringKey, selection: Binding<Date>, in range: PartialRangeThrough<Date>,
    displayedComponents: Components = [.hourAndMinute, .date]
  ) {
    self.init(selection: selection, in: range, displayedComponents: displayedComponents) { Text(title) }
  }
}

extension DatePicker: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    let values = EnvironmentValues(in: node.environment)
    let text = WrittenDate(components: components, calendar: values.calendar, timeZone: values.timeZone)
    let (selection, range) = (selection, range)
    let unit: Calendar.Component = components.contains(.date) ? .day : .minute
    var element = Element(
      node,
      .field(
        text: text.write(selection.wrappedValue), prompt: text.pattern, isSecret: false, isMultiline: false))
    element.actions.isFocusable = true
    element.actions.type = { typed in
      guard let date = text.read(typed, after: selection.wrappedValue), range.contains(date) else { return }
      selection.wrappedValue = date
    }
    element.actions.step = { isUp in
      let date = text.calendar.date(byAdding: unit, value: isUp ? 1 : -1, to: selection.wrappedValue)
      if let date, range.contains(date) { selection.wrappedValue = date }
    }
    return Composition(label) { drawn in
      var element = element
      element.children = drawn.all
      return [element]
    }
  }
}

/// A date as it is typed.
private struct WrittenDate {
  let components: DatePickerComponents
  var calendar: Calendar

  init(components: DatePickerComponents, calendar: Calendar, timeZone: TimeZone) {
    self.components = components
    self.calendar = calendar
    self.calendar.timeZone = timeZone
  }

  var pattern: String {
    [components.contains(.date) ? "yyyy-mm-dd" : nil, components.contains(.hourAndMinute) ? "hh:mm" : nil]
      .compactMap { $0 }.joined(separator: " ")
  }

  func write(_ date: Date) -> String {
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute], from: date)
    let day = String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
    let time = String(format: "%02d:%02d", parts.hour ?? 0, parts.minute ?? 0)
    return [components.contains(.date) ? day : nil, components.contains(.hourAndMinute) ? time : nil]
      .compactMap { $0 }.joined(separator: " ")
  }

  /// - Parameter date: What was written before, which keeps what is not typed: a day its time, a time its day.
  func read(_ text: String, after date: Date) -> Date? {
    let numbers = text.split { !$0.isNumber }.map { Int($0) }
    var parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
    let keys: [WritableKeyPath<DateComponents, Int?>] =
      (components.contains(.date) ? [\.year, \.month, \.day] : [])
      + (components.contains(.hourAndMinute) ? [\.hour, \.minute] : [])
    guard numbers.count == keys.count else { return nil }
    for (key, number) in zip(keys, numbers) {
      guard let number else { return nil }
      parts[keyPath: key] = number
    }
    // No 30th of February.
    return parts.isValidDate(in: calendar) ? calendar.date(from: parts) : nil
  }
}
