import Foundation
import StarlingBinding
import StarlingGraph
import StarlingGuard

/// The views of one host in their places, and the passes that keep them up to date.
///
/// A pass evaluates what is stale, parents before children, each node once; then what was put off until
/// after it is done: changes to report, appearances, tasks, writes that bodies made. That may make another pass due.
/// Nothing is drawn in between, so nobody sees half of a transaction.
@MainActor package final class ViewTree {
  let inbox = Inbox()
  package let environment = EnvironmentScope(parent: nil)
  package let focus = FocusKeeper()
  /// Where the scene's own values are kept, and under which name.
  package let scene: SceneIdentity
  /// What a program asked to have in sight, by its id; hosts scroll there.
  package private(set) var scrollTarget: AnyHashable?
  /// Whether a person is arranging what they otherwise use.
  private let editMode = StateStorage(EditMode.inactive)
  /// How large the host's screen is, in points: at first 80 by 24 cells.
  let size = StateStorage(CGSize(width: 640, height: 384))
  /// What is to be done at intervals.
  let timers = TreeTimers()
  /// The time of animations.
  package var now = Duration.zero
  private(set) var evaluations: [ObjectIdentifier: Int] = [:]
  package var diagnostics: [ViewDiagnostic] { log.all }
  /// Tasks of views that have not ended.
  package internal(set) var openTasks = 0

  private var root: Node?
  private var lastNumber: UInt64 = 0
  private var nodes: [UInt64: Unowned] = [:]
  private var moving: [UInt64: Node] = [:]
  private var afterPass: [@MainActor () -> Void] = []
  private var afterward: [@MainActor () -> Void] = []
  /// The readers of preferences, by the number of the node.
  var preferenceReaders: [UInt64: @MainActor () -> Void] = [:]
  private var isPreferenceDue = false
  private var keptStates: [KeptKey: AnyObject] = [:]
  private var isSettling = false
  private let keeper = WriteKeeper()
  private let log: DiagnosticLog
  /// Passes in a row that writes made in evaluations may cause.
  private static let passCountMax = 100

  /// - Parameter onDiagnostic: Called with each diagnostic, once, on the thread where it arises.
  package init(
    scene: String = "main", store: any ValueStore = MemoryStore(),
    onDiagnostic: (@Sendable (ViewDiagnostic) -> Void)? = nil
  ) {
    log = DiagnosticLog(onDiagnostic)
    self.scene = SceneIdentity(name: scene, store: store, log)
  }

  /// Sets values that all views read where none around them sets others.
  func setEnvironment(_ change: (inout EnvironmentValues) -> Void) {
    var values = EnvironmentValues(in: environment)
    change(&values)
    environment.set(values.writes)
  }

  /// Puts a view in and evaluates it.
  package func show(_ view: any View) {
    root?.remove()
    setEnvironment { values in
      values.editMode = editMode.binding
      values.openSettings = OpenSettingsAction { [weak self] in self?.openDrawer(named: "Settings") }
    }
    let root = Node.root(view, of: self)
    self.root = root
    root.evaluate(Transaction())
    settle()
  }

  /// Takes everything down: views disappear, tasks are cancelled.
  package func close() {
    root?.remove()
    root = nil
  }

  /// Calls `wake` on whatever thread makes a pass due.
  package func onWake(_ wake: @escaping @Sendable () -> Void) {
    inbox.onArrival(wake)
  }

  /// What is on the screen, once everything that changed has been evaluated.
  package var elements: [Element] {
    settle()
    return root?.elements ?? []
  }

  /// Whether a pass has something to do.
  package var isDue: Bool { !inbox.isEmpty || !afterPass.isEmpty || !afterward.isEmpty }

  /// What was drawn by the passes so far.
  var drawn: [Element] { root?.elements ?? [] }

  // MARK: Passes

  /// Opens what lies ready over the rest.
  private func openDrawer(named title: String) {
    for opener in elements.drawers.compactMap(\.children.first) where opener.label == title { opener.actions.tap?() }
  }

  /// Evaluates what is out of date, until nothing is.
  package func settle() {
    guard !isSettling, root != nil else { return }
    isSettling = true
    defer { isSettling = false }
    for _ in 0..<Self.passCountMax {
      guard pass() else { return }
    }
    report(.cycle, "Views wrote what they read in \(Self.passCountMax) passes in a row; the rest was left for later.")
  }

  /// - Returns: Whether anything was done.
  private func pass() -> Bool {
    let due = inbox.take().sorted { $0.mark.depth < $1.mark.depth }
    for (mark, transaction) in due {
      guard let node = mark.node, node.isAlive, mark.isSet else { continue }
      node.evaluate(node.filtered(transaction))
    }
    let waiting = keeper.take()
    for write in waiting { write.perform() }
    if !waiting.isEmpty {
      report(
        .writeDuringUpdate,
        "A binding or a state was written while a view was being evaluated; it was written afterwards.")
    }
    let actions = afterPass
    afterPass = []
    for action in actions { action() }
    let isFocusMoved = focus.resolve(in: self)
    let late = afterward
    afterward = []
    for action in late { action() }
    return !due.isEmpty || !waiting.isEmpty || !actions.isEmpty || isFocusMoved || !late.isEmpty || !inbox.isEmpty
  }

  /// Has `action` done when the pass under way, or the next one, has evaluated everything.
  package func afterPass(_ action: @escaping @MainActor () -> Void) {
    afterPass.append(action)
  }

  /// The same, after all changes were reported: appearances and tasks.
  package func afterward(_ action: @escaping @MainActor () -> Void) {
    afterward.append(action)
  }

  /// Has those who hear what views say look again after the pass.
  func preferencesChanged() {
    guard !isPreferenceDue else { return }
    isPreferenceDue = true
    afterPass { [weak self] in
      guard let self else { return }
      isPreferenceDue = false
      for (_, look) in preferenceReaders.sorted(by: { $0.key < $1.key }) { look() }
    }
  }

  /// Runs `body` as the evaluation of a view: writes that it makes through bindings wait.
  func evaluating<Result>(_ body: () -> Result) -> Result {
    WriteGate.$keeper.withValue(WriteGate.Keeper { [keeper] in keeper.keep($0) }, operation: body)
  }

  /// Has what bears `id` brought into sight.
  func scroll(to id: AnyHashable) {
    scrollTarget = id
    inbox.wake()
  }

  // MARK: Time

  /// Whether something moves.
  package var isAnimating: Bool { !moving.isEmpty }

  func animate(_ node: Node) {
    moving[node.number] = node
  }

  func rest(_ node: Node) {
    moving[node.number] = nil
  }

  /// Moves the time of animations on, and what they move.
  package func advance(by duration: Duration) {
    settle()
    let end = now + duration
    // What is done at intervals sees the time at which it is due.
    while let due = timers.nextDue, due <= end {
      now = max(now, due)
      _ = timers.runNext(at: now)
      settle()
    }
    now = end
    for node in moving.values.sorted(by: { $0.number < $1.number }) where node.isAlive { node.tick() }
    settle()
  }

  // MARK: Kept states

  /// A state that outlives its view.
  func kept<Storage: AnyObject>(_ key: KeptKey, _ make: () -> Storage) -> Storage {
    if let known = keptStates[key] { return unsafeDowncast(known, to: Storage.self) }
    let made = make()
    keptStates[key] = made
    return made
  }

  // MARK: Ledger

  /// Enters a node under a number that no other node of the tree has.
  func enter(_ node: Node) {
    nodes[node.number] = Unowned(node: node)
  }

  func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  func node(_ number: UInt64) -> Node? { nodes[number]?.node }

  private struct Unowned {
    unowned let node: Node
  }

  func count(_ type: Any.Type) {
    evaluations[ObjectIdentifier(type), default: 0] += 1
  }

  /// How often views of this type were evaluated.
  package func evaluations(of type: Any.Type) -> Int { evaluations[ObjectIdentifier(type)] ?? 0 }

  func forget(_ node: Node) {
    moving[node.number] = nil
    nodes[node.number] = nil
    focus.forget(node)
    if !preferenceReaders.isEmpty { preferencesChanged() }
  }

  /// Notes something that is likely a mistake, once in the same words.
  package func report(_ kind: ViewDiagnostic.Kind, _ message: String) {
    log.add(ViewDiagnostic(kind: kind, message: message))
  }
}

/// Holds the writes that were made while views were evaluated.
private final class WriteKeeper: Sendable {
  private let waiting = Guarded<[WriteGate.Waiting]>([])

  func keep(_ write: WriteGate.Waiting) {
    waiting.withLock { $0.append(write) }
  }

  func take() -> [WriteGate.Waiting] {
    waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }
}
