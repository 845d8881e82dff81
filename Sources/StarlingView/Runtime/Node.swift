import StarlingBinding
import StarlingGraph

/// One view in its place, and what it keeps there: state, subscriptions, tasks, its children.
///
///     Node ── view ── composition ── children ── …
///      │        ▲          │
///      │        └ body ◀───┘ tracked: whatever was read marks the node stale when it changes
///      └─ slots: what its dynamic properties keep, by their offset in the view
///
/// A node lives as long as its view stays in its place: same parent, same `Place`, same type.
@MainActor package class Node {
  package unowned let tree: ViewTree
  package let number: UInt64
  package private(set) weak var parent: Node?
  let depth: Int
  let place: Place
  /// What the view reads of the environment.
  package let environment: EnvironmentScope
  package fileprivate(set) var children: [Node] = []
  package private(set) var isAlive = true
  let stale: StaleMark
  /// Of the evaluation under way: why it runs.
  package fileprivate(set) var transaction = Transaction()
  /// What `.transaction` and `.animation(_:value:)` here make of a transaction for what stands inside.
  package var transactionFilter: ((inout Transaction) -> Void)?

  /// What dynamic properties keep, by their offset in the view.
  var slots: [Int: AnyObject] = [:]
  private var memories: [ObjectIdentifier: AnyObject] = [:]
  private var removals: [@MainActor () -> Void] = []
  fileprivate var composition = Composition()
  private var drawn: [Element]?
  private let observer: Observer

  fileprivate init(in parent: Node?, of tree: ViewTree, part: Part, named name: @autoclosure () -> String) {
    self.tree = tree
    self.parent = parent
    depth = (parent?.depth ?? -1) + 1
    place = part.place
    environment = part.environment ?? parent?.environment ?? tree.environment
    number = tree.nextNumber()
    let stale = StaleMark(depth: depth)
    self.stale = stale
    let inbox = tree.inbox
    observer = Observer(named: name(), derivingOn: MainActor.shared) { inbox.add(stale) }
    stale.node = self
    tree.enter(self)
  }

  /// Takes the place's new view; evaluates it unless it is the same as the old one.
  fileprivate func update(to view: any View, _ transaction: Transaction) {
    preconditionFailure("abstract")
  }

  /// Runs the body and brings what stands inside up to date.
  func evaluate(_ transaction: Transaction) {
    preconditionFailure("abstract")
  }

  /// Lets the clock act on what moves.
  func tick() {
    preconditionFailure("abstract")
  }

  var viewType: Any.Type { preconditionFailure("abstract") }

  // MARK: For views

  /// An object that stays with the node: made at the first call.
  package func memory<Memory: AnyObject>(_ make: () -> Memory) -> Memory {
    if let known = memories[ObjectIdentifier(Memory.self)] { return unsafeDowncast(known, to: Memory.self) }
    let made = make()
    memories[ObjectIdentifier(Memory.self)] = made
    return made
  }

  /// The same, where it was made already.
  package func memoryIfMade<Memory: AnyObject>() -> Memory? {
    memories[ObjectIdentifier(Memory.self)].map { unsafeDowncast($0, to: Memory.self) }
  }

  /// Calls `action` when the node leaves the tree, children first.
  package func onRemoval(_ action: @escaping @MainActor () -> Void) {
    removals.append(action)
  }

  package func ancestors() -> some Sequence<Node> {
    sequence(first: self) { $0.parent }.dropFirst()
  }

  // MARK: Evaluation

  /// Runs `body` with its reads noted, both the graph's and the standard library's.
  fileprivate func track(_ transaction: Transaction, _ body: () -> Composition) {
    self.transaction = transaction
    stale.beginEvaluation()
    let observer = observer
    let composition = tree.evaluating { observer.track(body) }
    self.composition = composition
    fill(with: composition.parts)
    redraw()
    // What it carries ends with the evaluation.
    self.transaction = Transaction()
  }

  /// Keeps the children whose views stand in the places where they stood.
  private func fill(with parts: [Part]) {
    var inner = transaction
    transactionFilter?(&inner)
    let old = children
    if old.count == parts.count, zip(old, parts).allSatisfy({ $0.fits($1) }) {
      for (child, part) in zip(old, parts) { child.update(to: part.view, inner) }
      return
    }
    var known = Dictionary(old.map { ($0.place, $0) }) { first, _ in first }
    children = parts.map { part in
      if let child = known[part.place], child.fits(part) {
        known[part.place] = nil
        return child
      }
      return Node.make(part, in: self)
    }
    for child in old where known[child.place] === child { child.remove() }
    for (child, part) in zip(children, parts) {
      if child.isNew { child.evaluate(inner) } else { child.update(to: part.view, inner) }
    }
  }

  fileprivate func fits(_ part: Part) -> Bool {
    place == part.place && viewType == type(of: part.view) && environment === (part.environment ?? self.parentScope)
  }

  private var parentScope: EnvironmentScope { parent?.environment ?? tree.environment }
  fileprivate var isNew: Bool { stale.isNew }

  /// The transaction that reaches this node when what it read was written in `transaction`.
  func filtered(_ transaction: Transaction) -> Transaction {
    var transaction = transaction
    for node in Array(ancestors()).reversed() { node.transactionFilter?(&transaction) }
    return transaction
  }

  func remove() {
    guard isAlive else { return }
    isAlive = false
    for child in children { child.remove() }
    for action in removals { action() }
    removals = []
    observer.cancel()
    tree.forget(self)
    // What draws, and what it drew, leads back to the node.
    composition = Composition()
    drawn = nil
  }

  // MARK: Drawing

  /// What it draws, made when a host asks.
  package var elements: [Element] {
    if let drawn { return drawn }
    let made = composition.draw(Drawn(parts: children.map(\.elements)))
    drawn = made
    return made
  }

  /// What it draws must be made again, and so must whatever stands around it.
  package func redraw() {
    var node: Node? = self
    while let present = node, present.drawn != nil || present === self {
      present.drawn = nil
      node = present.parent
    }
  }
}

extension Node {
  static func make(_ part: Part, in parent: Node) -> Node {
    func open<Content: View>(_ view: Content) -> Node { ViewNode(view, in: parent, of: parent.tree, part: part) }
    return open(part.view)
  }

  static func root(_ view: any View, of tree: ViewTree) -> Node {
    func open<Content: View>(_ view: Content) -> Node { ViewNode(view, in: nil, of: tree, part: Part(view)) }
    return open(view)
  }
}

/// A node that knows the type of its view.
final class ViewNode<Content: View>: Node {
  private var view: Content
  /// The part of an animation that has run; nil where nothing moves.
  private var motion: (any Motion<Content>)?

  init(_ view: Content, in parent: Node?, of tree: ViewTree, part: Part) {
    self.view = view
    super.init(in: parent, of: tree, part: part, named: "\(Content.self).body")
  }

  override var viewType: Any.Type { Content.self }

  override fileprivate func update(to new: any View, _ transaction: Transaction) {
    guard let new = new as? Content else { preconditionFailure("\(type(of: new)) in the place of \(Content.self)") }
    PropertyPlan.of(Content.self)?.warn(from: view, to: new, in: self)
    if !stale.isSet, Sameness<Content>.isSkippable, Sameness<Content>.areSame(view, new) { return }
    motion = makeMotion(from: view, to: new, transaction) ?? (isMoving(to: new) ? motion : nil)
    view = new
    evaluate(transaction)
  }

  override func evaluate(_ transaction: Transaction) {
    tree.count(Content.self)
    track(transaction) {
      PropertyPlan.of(Content.self)?.install(&view, in: self)
      let shown = motion?.apply(to: view) ?? view
      if let primitive = shown as? any PrimitiveView { return primitive.compose(in: self) }
      return Composition([Part(shown.body)])
    }
  }

  // MARK: Motion

  private func makeMotion(from old: Content, to new: Content, _ transaction: Transaction) -> (any Motion<Content>)? {
    guard let animation = transaction.effectiveAnimation, Content.self is any Animatable.Type else { return nil }
    func open<Moving: Animatable>(_ old: Moving, _ new: Moving) -> (any Motion<Content>)? {
      let presented = (motion as? MotionOf<Content, Moving>)?.presented ?? old.animatableData
      guard presented != new.animatableData else { return nil }
      tree.animate(self)
      return MotionOf<Content, Moving>(
        from: presented, to: new.animatableData, animation: animation, since: tree.now,
        transaction.completion)
    }
    guard let old = old as? any Animatable else { return nil }
    func same<Moving: Animatable>(_ old: Moving) -> (any Motion<Content>)? {
      (new as? Moving).flatMap { open(old, $0) }
    }
    return same(old)
  }

  /// Whether the motion under way leads where the new view stands.
  private func isMoving(to new: Content) -> Bool { motion?.leads(to: new) ?? false }

  override func tick() {
    guard let motion else { return tree.rest(self) }
    if motion.advance(to: tree.now) {
      self.motion = nil
      tree.rest(self)
    }
    evaluate(Transaction())
  }
}
