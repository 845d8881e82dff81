/// What has the focus, and what it concerns.
///
/// Focus states and the focus follow each other: what a person moves is told to the states whose views the focus
/// enters and leaves; what a program writes moves it after the pass.
@MainActor package final class FocusKeeper {
  /// What has the focus.
  package private(set) var focused: ElementID?

  /// What views say to whoever looks at what has the focus.
  let values = FocusedValueBoard()

  private var claims: [UInt64: Claim] = [:]
  /// Whether the focus went with what had it, and the states whose views went with it.
  private var isLost = false
  private var orphaned: [any AnyFocusStorage] = []

  private struct Claim {
    unowned let node: Node
    let storage: any AnyFocusStorage
    let value: AnyHashable
  }

  func claim(_ node: Node, _ storage: any AnyFocusStorage, _ value: AnyHashable) {
    claims[node.number] = Claim(node: node, storage: storage, value: value)
  }

  /// Called for a node that goes, after those inside it.
  func forget(_ node: Node) {
    values.forget(node)
    if focused?.node == node.number {
      focused = nil
      isLost = true
    }
    if let claim = claims.removeValue(forKey: node.number), isLost { orphaned.append(claim.storage) }
  }

  // MARK: For hosts

  /// Gives the focus to an element, or takes it away.
  package func move(to id: ElementID?, in tree: ViewTree) {
    guard id != focused else { return }
    focused = id
    tell(in: tree)
    tree.inbox.wake()
  }

  /// Gives it to the next element that can have it, or to the one before; from the last it goes to the first.
  package func advance(isForward: Bool, in tree: ViewTree) {
    let candidates = tree.elements.focusable.map(\.id)
    guard !candidates.isEmpty else { return }
    let place = focused.flatMap { candidates.firstIndex(of: $0) }
    let step = isForward ? 1 : -1
    let next = place.map { ($0 + step + candidates.count) % candidates.count } ?? (isForward ? 0 : candidates.count - 1)
    move(to: candidates[next], in: tree)
  }

  // MARK: After a pass

  /// Does what programs asked for, and tells states of a focus that went with its view.
  ///
  /// - Returns: Whether anything was done.
  func resolve(in tree: ViewTree) -> Bool {
    let isLost = isLost
    self.isLost = false
    if isLost {
      for storage in orphaned { storage.accept(nil) }
      orphaned = []
      tell(in: tree)
    }
    var asked: [any AnyFocusStorage] = []
    for claim in sortedClaims where !asked.contains(where: { $0 === claim.storage }) && claim.storage.takeRequest() {
      asked.append(claim.storage)
    }
    for storage in asked { fulfil(storage, in: tree) }
    values.update(around: focused.flatMap { tree.node($0.node) })
    return isLost || !asked.isEmpty
  }

  private var sortedClaims: [Claim] { claims.sorted { $0.key < $1.key }.map(\.value) }

  private func fulfil(_ storage: any AnyFocusStorage, in tree: ViewTree) {
    if storage.isEmpty {
      let isHere = claims.values.contains { $0.storage === storage && contains($0, focused, tree) }
      if isHere { focused = nil }
      return tell(in: tree)
    }
    // In the order in which a person meets them.
    let focusable = tree.drawn.focusable
    let candidates = focusable.filter { element in
      claims.values.contains {
        $0.storage === storage && $0.value == storage.current && contains($0, element.id, tree)
      }
    }
    let holders = claims.values.filter { $0.storage === storage && $0.value == storage.current }
    if holders.count > 1, !isNested(holders.map(\.node)) {
      tree.report(
        .ambiguousFocus, "\(holders.count) views wait for the focus under \(storage.current); the first one gets it.")
    }
    guard let first = candidates.first else { return storage.accept(nil) }
    focused = first.id
    tell(in: tree)
  }

  /// Whether the nodes stand inside each other: one view with several bindings.
  private func isNested(_ nodes: [Node]) -> Bool {
    guard let innermost = nodes.max(by: { $0.depth < $1.depth }) else { return true }
    let around = Array(innermost.ancestors()) + [innermost]
    return nodes.allSatisfy { node in around.contains { $0 === node } }
  }

  /// Tells every state where the focus is.
  private func tell(in tree: ViewTree) {
    var told: [any AnyFocusStorage] = []
    for claim in sortedClaims where !told.contains(where: { $0 === claim.storage }) {
      let storage = claim.storage
      told.append(storage)
      let holding = sortedClaims.filter { $0.storage === storage && contains($0, focused, tree) }
      if holding.contains(where: { $0.value == storage.current }) { continue }
      // The innermost speaks for the view that has the focus.
      storage.accept(holding.max { $0.node.depth < $1.node.depth }?.value)
    }
  }

  private func contains(_ claim: Claim, _ id: ElementID?, _ tree: ViewTree) -> Bool {
    guard let id, let node = tree.node(id.node) else { return false }
    return node === claim.node || node.ancestors().contains { $0 === claim.node }
  }
}

extension [Element] {
  /// What can have the focus, in the order in which a person meets it.
  package var focusable: [Element] {
    var found: [Element] = []
    for element in self { element.forEach { if $0.isFocusable { found.append($0) } } }
    return found
  }
}
