public import Foundation
public import StarlingBinding

extension View {
  /// Asks before something is done.
  public func confirmationDialog(
    _ title: LocalizedStringKey, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
    @ViewBuilder actions: @escaping () -> some View
  ) -> some View {
    alert(Text(title), isPresented: isPresented, actions: actions) { EmptyView() }
  }

  /// Asks before something is done.
  @_disfavoredOverload public func confirmationDialog(
    _ title: some StringProtocol, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
    @ViewBuilder actions: @escaping () -> some View
  ) -> some View {
    alert(Text(title), isPresented: isPresented, actions: actions) { EmptyView() }
  }

  /// Asks before something is done.
  public func confirmationDialog(
    _ title: Text, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
    @ViewBuilder actions: @escaping () -> some View
  ) -> some View {
    alert(title, isPresented: isPresented, actions: actions) { EmptyView() }
  }

  /// Asks before something is done, and says what.
  public func confirmationDialog(
    _ title: LocalizedStringKey, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
    @ViewBuilder actions: @escaping () -> some View, @ViewBuilder message: @escaping () -> some View
  ) -> some View {
    alert(Text(title), isPresented: isPresented, actions: actions, message: message)
  }

  /// Asks before something is done to `data`; nothing is asked while that is nil.
  public func confirmationDialog<Subject>(
    _ title: LocalizedStringKey, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
    presenting data: Subject?, @ViewBuilder actions: @escaping (Subject) -> some View
  ) -> some View {
    alert(title, isPresented: isPresented, presenting: data, actions: actions)
  }

  /// Asks something over this view as long as `isPresented` says so; each of the buttons sets it to false.
  @_disfavoredOverload public func alert(
    _ title: some StringProtocol, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> some View
  ) -> some View {
    alert(Text(title), isPresented: isPresented, actions: actions) { EmptyView() }
  }

  /// Asks something over this view, with an explanation.
  @_disfavoredOverload public func alert(
    _ title: some StringProtocol, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> some View,
    @ViewBuilder message: @escaping () -> some View
  ) -> some View {
    alert(Text(title), isPresented: isPresented, actions: actions, message: message)
  }

  /// Asks something over this view as long as `isPresented` says so.
  public func alert(
    _ title: Text, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> some View
  ) -> some View {
    alert(title, isPresented: isPresented, actions: actions) { EmptyView() }
  }

  /// Asks something about `data` over this view; nothing is asked while that is nil.
  public func alert<Subject>(
    _ title: LocalizedStringKey, isPresented: Binding<Bool>, presenting data: Subject?,
    @ViewBuilder actions: @escaping (Subject) -> some View
  ) -> some View {
    alert(Text(title), isPresented: Self.asked(isPresented, data), actions: { data.map(actions) }) { EmptyView() }
  }

  /// Asks something about `data` over this view, with an explanation; nothing is asked while that is nil.
  public func alert<Subject>(
    _ title: LocalizedStringKey, isPresented: Binding<Bool>, presenting data: Subject?,
    @ViewBuilder actions: @escaping (Subject) -> some View, @ViewBuilder message: @escaping (Subject) -> some View
  ) -> some View {
    alert(
      Text(title), isPresented: Self.asked(isPresented, data), actions: { data.map(actions) },
      message: { data.map(message) })
  }

  /// Asks something about `data` over this view; nothing is asked while that is nil.
  @_disfavoredOverload public func alert<Subject>(
    _ title: some StringProtocol, isPresented: Binding<Bool>, presenting data: Subject?,
    @ViewBuilder actions: @escaping (Subject) -> some View
  ) -> some View {
    alert(Text(title), isPresented: Self.asked(isPresented, data), actions: { data.map(actions) }) { EmptyView() }
  }

  /// Asks something about `data` over this view, with an explanation; nothing is asked while that is nil.
  @_disfavoredOverload public func alert<Subject>(
    _ title: some StringProtocol, isPresented: Binding<Bool>, presenting data: Subject?,
    @ViewBuilder actions: @escaping (Subject) -> some View, @ViewBuilder message: @escaping (Subject) -> some View
  ) -> some View {
    alert(
      Text(title), isPresented: Self.asked(isPresented, data), actions: { data.map(actions) },
      message: { data.map(message) })
  }

  /// Shows an error over this view; without buttons of its own there is one that closes it.
  public func alert<Failure: LocalizedError>(
    isPresented: Binding<Bool>, error: Failure?, @ViewBuilder actions: @escaping () -> some View
  ) -> some View {
    alert(
      Text(verbatim: error?.errorDescription ?? ""), isPresented: Self.asked(isPresented, error), actions: actions)
  }

  private static func asked<Subject>(_ isPresented: Binding<Bool>, _ subject: Subject?) -> Binding<Bool> {
    Binding(
      location: isPresented.location, read: { isPresented.wrappedValue && subject != nil },
      write: { isPresented.wrappedValue = $0 })
  }
}

/// A question of older programs: a title, an explanation and one or two buttons.
public struct Alert {
  let title: Text
  let message: Text?
  let buttons: [Button]

  /// A question with one button, which closes it.
  public init(title: Text, message: Text? = nil, dismissButton: Button? = nil) {
    self.title = title
    self.message = message
    buttons = [dismissButton ?? .default(Text("OK"))]
  }

  /// A question with two buttons.
  public init(title: Text, message: Text? = nil, primaryButton: Button, secondaryButton: Button) {
    self.title = title
    self.message = message
    buttons = [primaryButton, secondaryButton]
  }

  /// A button of a question.
  public struct Button {
    let role: ButtonRole?
    let label: Text
    let action: @MainActor () -> Void

    /// A button without a role.
    public static func `default`(_ label: Text, action: (@MainActor () -> Void)? = {}) -> Button {
      Button(role: nil, label: label, action: action ?? {})
    }

    /// A button that does nothing.
    public static func cancel(_ label: Text, action: (@MainActor () -> Void)? = {}) -> Button {
      Button(role: .cancel, label: label, action: action ?? {})
    }

    /// A button that does nothing.
    public static func cancel(_ action: (@MainActor () -> Void)? = {}) -> Button {
      cancel(Text("Cancel"), action: action)
    }

    /// A button by which something is lost.
    public static func destructive(_ label: Text, action: (@MainActor () -> Void)? = {}) -> Button {
      Button(role: .destructive, label: label, action: action ?? {})
    }
  }
}

/// A choice of older programs.
public struct ActionSheet {
  /// A button of a choice.
  public typealias Button = Alert.Button

  let alert: Alert

  /// A choice among buttons.
  public init(title: Text, message: Text? = nil, buttons: [Button] = [.cancel()]) {
    alert = Alert(title: title, message: message, buttons: buttons)
  }
}

extension Alert {
  fileprivate init(title: Text, message: Text?, buttons: [Button]) {
    self.title = title
    self.message = message
    self.buttons = buttons
  }

  @ViewBuilder @MainActor fileprivate var actions: some View {
    ForEach(Array(buttons.enumerated()), id: \.offset) { _, button in
      StarlingView.Button(role: button.role, action: button.action) { button.label }
    }
  }
}

extension View {
  /// Asks something over this view as older programs do.
  public func alert(isPresented: Binding<Bool>, content: () -> Alert) -> some View {
    let question = content()
    return alert(question.title, isPresented: isPresented, actions: { question.actions }) { question.message }
  }

  /// Asks something about an item over this view as older programs do.
  public func alert<Item: Identifiable>(item: Binding<Item?>, content: (Item) -> Alert) -> some View {
    let question = item.wrappedValue.map(content)
    let isPresented = Binding<Bool>(
      location: item.location?.appending("isPresented"), read: { item.wrappedValue != nil },
      write: { if !$0 { item.wrappedValue = nil } })
    return alert(question?.title ?? Text(verbatim: ""), isPresented: isPresented, actions: { question?.actions }) {
      question?.message
    }
  }

  /// Lets a person choose over this view as older programs do.
  public func actionSheet(isPresented: Binding<Bool>, content: () -> ActionSheet) -> some View {
    let question = content().alert
    return alert(question.title, isPresented: isPresented, actions: { question.actions }) { question.message }
  }
}
