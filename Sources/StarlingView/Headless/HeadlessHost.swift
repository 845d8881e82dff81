import StarlingModel

/// Shows views as lines of text, and taps and types for a person: how views are tested.
///
/// ```swift
/// let host = HeadlessHost { BookView(book: book) }
/// try host.tap("Borrow")
/// #expect(host.text == ["Dune", "[ ] Available"])
/// #expect(host.evaluations(of: BookView.self) == 1)
/// ```
///
/// What `@AppStorage` writes is forgotten with the host, unless `.defaultAppStorage(_:)` names a store.
/// Whatever is asked of it, it first evaluates what is out of date. Its clock stands still until it is advanced. When
/// it goes, its views go: they disappear, and their tasks are cancelled.
@MainActor public final class HeadlessHost {
  package let tree: ViewTree

  /// Shows a view.
  ///
  /// - Parameters:
  ///   - scene: The name of the scene, under which `@SceneStorage` keeps its values.
  ///   - store: Where it keeps them: hand the same to another host, and it finds them again.
  ///   - content: The view to show.
  public init(scene: String = "main", store: any ValueStore = MemoryStore(), @ViewBuilder _ content: () -> some View) {
    tree = ViewTree(scene: scene, store: store)
    tree.keepAppStorage(in: MemoryStore())
    tree.show(content())
  }

  /// Shows the scenes of a program.
  public init<Program: App>(app: Program.Type, scene: String = "main", store: any ValueStore = MemoryStore()) {
    tree = ViewTree(scene: scene, store: store)
    tree.keepAppStorage(in: MemoryStore())
    tree.show(AppView(app: app.init()))
  }

  isolated deinit {
    tree.close()
  }

  /// Ends the scene for good: its views go, and so does what it kept.
  public func destroyScene() {
    tree.close()
    tree.scene.destroy()
  }

  // MARK: Reading

  /// What a person would read, one line for each thing: a text, a button's label, `[x] Toggle`, `Field: content`.
  public var text: [String] { tree.elements.flatMap(\.lines) }

  /// What the views draw, as a tree, to find out why a line is there, or is not.
  public var outline: String { tree.elements.map { $0.outline(indent: "") }.joined() }

  /// The id of what a program brought into sight last with `ScrollViewProxy`.
  public var scrollTarget: AnyHashable? {
    tree.settle()
    return tree.scrollTarget
  }

  /// How often the body of views of this type ran.
  public func evaluations<Content>(of type: Content.Type) -> Int {
    tree.settle()
    return tree.evaluations(of: type)
  }

  /// What is likely a mistake in the views, as far as they have been shown.
  public var diagnostics: [ViewDiagnostic] {
    tree.settle()
    return tree.diagnostics
  }

  // MARK: Acting

  /// Taps what bears `label`: a button, a toggle, a tab, anything with a tap.
  ///
  /// - Throws: `HeadlessHostError` listing the labels there are, where none is `label`, or it is disabled.
  public func tap(_ label: String) throws {
    let choices = tree.elements.tabChoices.filter { $0.label == label }
    if let choice = choices.first { return choice.choose() }
    try find(label) { $0.actions.tap != nil }.actions.tap?()
  }

  /// Turns on or off what bears `label`.
  ///
  /// - Throws: `HeadlessHostError` listing the labels there are, where none is `label`, or it is disabled.
  public func toggle(_ label: String) throws {
    let toggle = try find(label) { element in
      if case .toggle = element.kind { return true }
      return false
    }
    toggle.actions.tap?()
  }

  /// Types `text` into the field that bears `label`, in place of what stands there.
  ///
  /// - Throws: `HeadlessHostError` listing the labels there are, where none is `label`, or it is disabled.
  public func type(_ text: String, into label: String) throws {
    let field = try find(label) { $0.actions.type != nil }
    tree.focus.move(to: field.id, in: tree)
    field.actions.type?(text)
  }

  /// Moves the stepper or slider that bears `label` one step up.
  ///
  /// - Throws: `HeadlessHostError` listing the labels there are, where none is `label`, or it is disabled.
  public func increment(_ label: String) throws {
    try find(label) { $0.actions.step != nil }.actions.step?(true)
  }

  /// Moves the stepper or slider that bears `label` one step down.
  ///
  /// - Throws: `HeadlessHostError` listing the labels there are, where none is `label`, or it is disabled.
  public func decrement(_ label: String) throws {
    try find(label) { $0.actions.step != nil }.actions.step?(false)
  }

  /// Moves the slider that bears `label`.
  ///
  /// - Throws: `HeadlessHostError` listing the labels there are, where none is `label`, or it is disabled.
  public func slide(_ label: String, to value: Double) throws {
    try find(label) { $0.actions.slide != nil }.actions.slide?(value)
  }

  /// Chooses an option of the picker that bears `label`.
  ///
  /// - Throws: `HeadlessHostError` listing the pickers or the options there are, where none is the one named.
  public func choose(_ option: String, in label: String) throws {
    let picker = try find(label) { element in
      if case .picker = element.kind { return true }
      return false
    }
    guard let place = picker.children.firstIndex(where: { $0.label == option }) else {
      throw HeadlessHostError(label: option, labels: picker.children.map(\.label))
    }
    picker.actions.choose?(place)
  }

  // MARK: Keys and focus

  /// A key of a keyboard.
  public enum Key: Sendable, Hashable {
    /// Moves the focus on.
    case tab
    /// Moves the focus back.
    case backTab
    /// Submits or presses what has the focus; types a new line where there are several.
    case `return`
    /// Presses what has the focus, or types a blank.
    case space
    /// Takes the focus away.
    case escape
    /// Takes the last character away.
    case delete
    /// Makes a step up.
    case up
    /// Makes a step down.
    case down
    /// Makes a step down.
    case left
    /// Makes a step up.
    case right
    /// Types a character.
    case character(Character)
  }

  /// The label of what has the focus.
  public var focused: String? {
    let focusable = tree.elements.focusable
    return tree.focus.focused.flatMap { id in focusable.first { $0.id == id }?.label }
  }

  /// Gives the focus to what bears `label`, as a click would; nil takes it away.
  ///
  /// - Throws: `HeadlessHostError` listing the labels there are, where none is `label`, or it is disabled.
  public func focus(_ label: String?) throws {
    let id = try label.map { try find($0) { $0.actions.isFocusable }.id }
    tree.focus.move(to: id, in: tree)
  }

  /// Presses a key: tab moves the focus; the others go to what has it, and what it does not take is looked for among
  /// shortcuts without modifiers.
  public func press(_ key: Key) {
    let elements = tree.elements
    let focused = tree.focus.focused.flatMap { id in elements.focusable.first { $0.id == id } }
    let isTaken = focused?.takes(key) ?? false
    switch key {
    case .tab: tree.focus.advance(isForward: true, in: tree)
    case .backTab: tree.focus.advance(isForward: false, in: tree)
    default:
      if !isTaken, let equivalent = KeyEquivalent(key), let tap = elements.tap(for: equivalent, []) {
        tap()
      } else if key == .escape {
        tree.focus.move(to: nil, in: tree)
      } else {
        focused?.press(key)
      }
    }
    tree.settle()
  }

  // MARK: Time

  /// Moves the clock on, and what moves with it.
  public func advance(by duration: Duration) {
    tree.advance(by: duration)
  }

  /// Evaluates what is out of date and lets tasks of views run until they wait for something else.
  public func settle() async {
    var quiet = 0
    var isFinished = false
    for _ in 0..<Self.turnCountMax where !isFinished {
      tree.settle()
      await Task.yield()
      quiet = tree.isDue ? 0 : quiet + 1
      // A task that goes elsewhere takes a few turns to come back; one that waits for good is not waited for.
      isFinished = quiet >= (tree.openTasks == 0 ? 8 : 400)
    }
    tree.settle()
  }

  private static let turnCountMax = 10_000

  // MARK: Finding

  func find(_ label: String, where condition: (Element) -> Bool) throws -> Element {
    var candidates: [Element] = []
    for element in tree.elements { element.forEach { if condition($0) { candidates.append($0) } } }
    let found = candidates.filter { $0.label == label }
    if let usable = found.first(where: { !$0.style.isDisabled }) { return usable }
    throw HeadlessHostError(
      label: label, labels: candidates.map(\.label), isDisabled: !found.isEmpty)
  }
}

/// Nothing that can be used bears the label.
public struct HeadlessHostError: Error, CustomStringConvertible, Hashable {
  /// The label that was looked for.
  public let label: String
  /// What there is instead.
  public let labels: [String]
  /// Whether something bears it that is disabled.
  public let isDisabled: Bool

  init(label: String, labels: [String], isDisabled: Bool = false) {
    self.label = label
    self.labels = labels
    self.isDisabled = isDisabled
  }

  public var description: String {
    if isDisabled { return "'\(label)' is disabled." }
    return "Nothing is labelled '\(label)'. There is: \(labels.isEmpty ? "nothing" : labels.joined(separator: ", "))."
  }
}
