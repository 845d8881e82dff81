public import StarlingBinding

/// Goes up and down in steps.
public struct Stepper<Label: View>: View {
  public typealias Body = Never
  private let label: Label
  private let step: @MainActor (_ isUp: Bool) -> Void

  /// Runs a closure for each step; nil lets no step be made that way.
  public init(
    @ViewBuilder label: () -> Label, onIncrement: (() -> Void)?, onDecrement: (() -> Void)?,
    onEditingChanged: @escaping (Bool) -> Void = { _ in }
  ) {
    self.label = label()
    step = { $0 ? onIncrement?() : onDecrement?() }
  }

  /// Changes a value by a step.
  public init<Value: Strideable>(
    value: Binding<Value>, step: Value.Stride = 1, @ViewBuilder label: () -> Label,
    onEditingChanged: @escaping (Bool) -> Void = { _ in }
  ) {
    self.label = label()
    self.step = { isUp in
      value.wrappedValue = value.wrappedValue.advanced(by: isUp ? step : .zero - step)
    }
  }

  /// Changes a value by a step, within bounds.
  public init<Value: Strideable>(
    value: Binding<Value>, in bounds: ClosedRange<Value>, step: Value.Stride = 1, @ViewBuilder label: () -> Label,
    onEditingChanged: @escaping (Bool) -> Void = { _ in }
  ) {
    self.label = label()
    self.step = { isUp in
      let next = value.wrappedValue.advanced(by: isUp ? step : .zero - step)
      if bounds.contains(next) { value.wrappedValue = next }
    }
  }
}

extension Stepper: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    var element = Element(node, .stepper(value: nil))
    element.actions.isFocusable = true
    element.actions.step = step
    return Composition(label) { drawn in
      var element = element
      element.children = drawn.all
      return [element]
    }
  }
}

extension Stepper where Label == Text {
  /// Changes a value by a step, under a title.
  public init<Value: Strideable>(
    _ title: LocalizedStringKey, value: Binding<Value>, step: Value.Stride = 1,
    onEditingChanged: @escaping (Bool) -> Void = { _ in }
  ) {
    self.init(value: value, step: step) { Text(title) }
  }

  /// Changes a value by a step, under a title.
  @_disfavoredOverload public init<Value: Strideable>(
    _ title: some StringProtocol, value: Binding<Value>, step: Value.Stride = 1,
    onEditingChanged: @escaping (Bool) -> Void = { _ in }
  ) {
    self.init(value: value, step: step) { Text(title) }
  }

  /// Changes a value by a step, within bounds, under a title.
  public init<Value: Strideable>(
    _ title: LocalizedStringKey, value: Binding<Value>, in bounds: ClosedRange<Value>, step: Value.Stride = 1,
    onEditingChanged: @escaping (Bool) -> Void = { _ in }
  ) {
    self.init(value: value, in: bounds, step: step) { Text(title) }
  }

  /// Changes a value by a step, within bounds, under a title.
  @_disfavoredOverload public init<Value: Strideable>(
    _ title: some StringProtocol, value: Binding<Value>, in bounds: ClosedRange<Value>, step: Value.Stride = 1,
    onEditingChanged: @escaping (Bool) -> Void = { _ in }
  ) {
    self.init(value: value, in: bounds, step: step) { Text(title) }
  }

  /// Runs a closure for each step, under a title; nil lets no step be made that way.
  public init(_ title: LocalizedStringKey, onIncrement: (() -> Void)?, onDecrement: (() -> Void)?) {
    self.init(label: { Text(title) }, onIncrement: onIncrement, onDecrement: onDecrement)
  }
}

/// Chooses from a range.
public struct Slider<Label: View>: View {
  public typealias Body = Never
  private let label: Label
  private let value: Binding<Double>
  private let bounds: ClosedRange<Double>
  private let step: Double?

  fileprivate init(_ value: Binding<Double>, _ bounds: ClosedRange<Double>, _ step: Double?, _ label: Label) {
    self.label = label
    self.value = value
    self.bounds = bounds
    self.step = step
  }

  /// Chooses from a range, under a label.
  public init<Value: BinaryFloatingPoint>(
    value: Binding<Value>, in bounds: ClosedRange<Value> = 0...1, @ViewBuilder label: () -> Label,
    onEditingChanged: @escaping (Bool) -> Void = { _ in }
  ) {
    self.init(value.double, Double(bounds.lowerBound)...Double(bounds.upperBound), nil, label())
  }

  /// Chooses from a range in steps, under a label.
  public init<Value: BinaryFloatingPoint>(
    value: Binding<Value>, in bounds: ClosedRange<Value>, step: Value.Stride, @ViewBuilder label: () -> Label,
    onEditingChanged: @escaping (Bool) -> Void = { _ in }
  ) where Value.Stride: BinaryFloatingPoint {
    self.init(value.double, Double(bounds.lowerBound)...Double(bounds.upperBound), Double(step), label())
  }
}

extension Slider {
  /// What stands at its two ends is not drawn by the hosts here.
  public init<Value: BinaryFloatingPoint>(
    value: Binding<Value>, in bounds: ClosedRange<Value> = 0...1, @ViewBuilder label: () -> Label,
    @ViewBuilder minimumValueLabel: () -> some View, @ViewBuilder maximumValueLabel: () -> some View,
    onEditingChanged: @escaping (Bool) -> Void = { _ in }
  ) {
    self.init(value: value, in: bounds, label: label)
  }

  /// What stands at its two ends is not drawn by the hosts here.
  public init<Value: BinaryFloatingPoint>(
    value: Binding<Value>, in bounds: ClosedRange<Value>, step: Value.Stride, @ViewBuilder label: () -> Label,
    @ViewBuilder minimumValueLabel: () -> some View, @ViewBuilder maximumValueLabel: () -> some View,
    onEditingChanged: @escaping (Bool) -> Void = { _ in }
  ) where Value.Stride: BinaryFloatingPoint {
    self.init(value: value, in: bounds, step: step, label: label)
  }
}

extension Slider where Label == EmptyView {
  /// Chooses from a range.
  public init<Value: BinaryFloatingPoint>(
    value: Binding<Value>, in bounds: ClosedRange<Value> = 0...1,
    onEditingChanged: @escaping (Bool) -> Void = { _ in }
  ) {
    self.init(value: value, in: bounds) { EmptyView() }
  }

  /// Chooses from a range in steps.
  public init<Value: BinaryFloatingPoint>(
    value: Binding<Value>, in bounds: ClosedRange<Value>, step: Value.Stride,
    onEditingChanged: @escaping (Bool) -> Void = { _ in }
  ) where Value.Stride: BinaryFloatingPoint {
    self.init(value: value, in: bounds, step: step) { EmptyView() }
  }
}

extension Binding where Value: BinaryFloatingPoint {
  fileprivate var double: Binding<Double> {
    let base = self
    var copy = Binding<Double>(
      location: location?.appending("double"), read: { Double(base.wrappedValue) },
      write: { base.wrappedValue = Value($0) })
    copy.transaction = transaction
    return copy
  }
}

extension Slider: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    let (value, bounds) = (value, bounds)
    let step = step ?? (bounds.upperBound - bounds.lowerBound) / 10
    var element = Element(node, .slider(value: value.wrappedValue, bounds: bounds))
    element.actions.isFocusable = true
    let slide: @MainActor (Double) -> Void = {
      value.wrappedValue = min(max($0, bounds.lowerBound), bounds.upperBound)
    }
    element.actions.slide = slide
    element.actions.step = { slide(value.wrappedValue + ($0 ? step : -step)) }
    return Composition(label) { drawn in
      var element = element
      element.children = drawn.all
      return [element]
    }
  }
}
