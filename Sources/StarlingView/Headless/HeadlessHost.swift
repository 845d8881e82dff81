public import Foundation
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

  /// How large the screen is, in points: what a `GeometryReader` has. At first 640 by 384, which are 80 by 24 cells.
  public var size: CGSize {
    get { tree.size.untrackedValue }
    set { tree.size.store(newValue) }
  }

  /// How far the scene is from a person's eyes, as views read it.
  public var scenePhase: ScenePhase = .active {
    didSet { tree.setEnvironment { $0.scenePhase = scenePhase } }
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
    // Menus that are not open come last.
    var hidden: [Element] = []
    for element in tree.elements.drawers.flatMap(\.children) { element.forEach { hidden.append($0) } }
    do {
      try find(label) { $0.actions.tap != nil }.actions.tap?()
    } catch {
      let item = hidden.first { $0.label == label && $0.actions.tap != nil && !$0.style.isDisabled }
      guard let tap = item?.actions.tap else { throw error }
      tap()
    }
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

  // MARK: Gestures

  /// Presses what bears `label`, or in which something does, for long.
  ///
  /// - Throws: `HeadlessHostError` listing what can be pressed so, where none is the one named.
  public func longPress(_ label: String) throws {
    try action(label) { $0.actions.longPress }(GestureStep())
  }

  /// Drags what bears `label`, or in which something does, on a straight way, in points.
  ///
  /// - Parameters:
  ///   - label: What is dragged.
  ///   - width: How far to the side where lines end.
  ///   - height: How far down.
  ///   - isHeld: Whether it is held at the end; the next call drags on and lets it go, or not.
  /// - Throws: `HeadlessHostError` listing what can be dragged, where none is the one named.
  public func drag(_ label: String, width: Double = 0, height: Double = 0, holding isHeld: Bool = false) throws {
    let drag = try action(label) { $0.actions.drag }
    var step = GestureStep(location: CGPoint(x: width, y: height), isLast: false)
    drag(step)
    guard !isHeld else { return }
    step.isLast = true
    // What hears of it may have been described again.
    try action(label) { $0.actions.drag }(step)
  }

  // MARK: Rows and screens

  /// Deletes the row that bears `label`, or in which something does.
  ///
  /// - Throws: `HeadlessHostError` listing the rows that can be deleted, where none is the one named.
  public func delete(_ label: String) throws {
    try row(label) { $0.delete }()
  }

  /// Moves the row that bears `label` so many places down; up for a negative distance.
  ///
  /// - Throws: `HeadlessHostError` listing the rows that can be moved, where none is the one named.
  public func move(_ label: String, by distance: Int) throws {
    try row(label) { $0.move }(distance)
  }

  /// Opens the menu of what bears `label`: its swipe actions, and those of its context. What it shows can be tapped then.
  ///
  /// - Throws: `HeadlessHostError` listing what has a menu, where none is the one named.
  public func openMenu(of label: String) throws {
    try row(label) { $0.openMenu }()
  }

  /// Goes back to the screen before, in the innermost stack.
  ///
  /// - Throws: `HeadlessHostError` where no stack shows another screen than its first.
  public func goBack() throws {
    var back: Element?
    for element in tree.elements { element.forEach { if $0.actions.isBack { back = $0 } } }
    guard let back else { throw HeadlessHostError(label: "Back", labels: []) }
    back.actions.tap?()
  }

  private func row<Action>(_ label: String, _ row: (RowActions) -> Action?) throws -> Action {
    try action(label) { row($0.row) }
  }

  private func action<Action>(_ label: String, _ action: (Element) -> Action?) throws -> Action {
    var candidates: [Element] = []
    for element in tree.elements { element.forEach { if action($0) != nil { candidates.append($0) } } }
    guard let found = candidates.first(where: { $0.bears(label) }), let action = action(found) else {
      throw HeadlessHostError(label: label, labels: candidates.map(\.label))
    }
    return action
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
    /// Takes the last character away, or deletes a row.
    case delete
    /// Opens the menu of what has the focus.
    case menu
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
    if elements.pressed(key, around: focused?.id) { return tree.settle() }
    switch key {
    case .delete where focused?.isField != true:
      if let id = focused?.id { elements.rowActions(around: id)?.delete?() }
    case .menu:
      if let id = focused?.id { elements.rowActions(around: id)?.openMenu?() }
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
