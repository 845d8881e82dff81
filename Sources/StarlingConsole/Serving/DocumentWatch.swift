import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingReplica
import Synchronization

/// Notes what changes in one document while a page looks at it.
final class DocumentWatch: Sendable {
  let handle: DocumentHandle
  var json: JSONDocument { JSONDocument(handle) }
  /// Counts the changes that a page may see.
  private let serial = Atomic(0)
  private let isWatched = Atomic(false)
  /// Containers whose keys changed, and whether conflicts may have. Guarded: merges note it on the engine's thread.
  private let noted = Guarded(Noted())

  struct Noted {
    var reordered: Set<ObjectID> = []
    var areConflictsStale = true
  }

  init(_ handle: DocumentHandle, _ changed: @escaping @Sendable () -> Void) {
    self.handle = handle
    handle.onPatch { [weak self] patch in
      guard let self, isWatched.load(ordering: .relaxed) else { return }
      note(patch)
      changed()
    }
  }

  var changeCount: Int { serial.load(ordering: .acquiring) }

  func setWatched(_ isWatched: Bool) {
    if isWatched, !self.isWatched.load(ordering: .relaxed) {
      // What happened since was not noted.
      noted.withLock { $0.areConflictsStale = true }
      serial.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }
    self.isWatched.store(isWatched, ordering: .relaxed)
  }

  private func note(_ patch: Patch) {
    noted.withLock { noted in
      for entry in patch.entries {
        if entry.from == .absent || entry.to == .absent { noted.reordered.insert(entry.object) }
        if entry.conflictsChanged { noted.areConflictsStale = true }
      }
      // A path in the list of conflicts counts elements.
      if !patch.sequences.isEmpty || !patch.removedObjects.isEmpty { noted.areConflictsStale = true }
    }
    serial.wrappingAdd(1, ordering: .acquiringAndReleasing)
  }

  func takeReordered() -> Set<ObjectID> {
    noted.withLock { noted in
      defer { noted.reordered = [] }
      return noted.reordered
    }
  }

  func takeConflictsStale() -> Bool {
    noted.withLock { noted in
      defer { noted.areConflictsStale = false }
      return noted.areConflictsStale
    }
  }
}

/// The keys of large containers in their order, so that scrolling does not list a million of them for each page.
struct KeyOrders {
  private struct Order {
    var keys: [Key]
    var isStale = false
    var listed: ContinuousClock.Instant
    var cost: Duration
  }

  private var orders: [Name: Order] = [:]

  private struct Name: Hashable {
    var object: ObjectID
    var prefix: String
  }

  /// Fewer are listed each time.
  private static let countMin = 2000
  private static let orderCountMax = 16

  mutating func note(reordered: Set<ObjectID>) {
    for name in orders.keys where reordered.contains(name.object) { orders[name]?.isStale = true }
  }

  /// The keys of the window's container; nil where it has few, and they are listed when they are read.
  ///
  /// A stale order is shown for ten times as long as listing it takes.
  mutating func keys(for window: TreeWindow, in handle: DocumentHandle) -> [Key]? {
    let object = window.container.object
    guard window.container.kind != .list, window.container.kind != .text else { return nil }
    guard handle.read({ $0.keyCount(in: object) }) > Self.countMin else { return nil }
    let name = Name(object: object, prefix: window.prefix)
    let now = ContinuousClock.now
    if let order = orders[name], !order.isStale || now - order.listed < order.cost * 10 { return order.keys }
    // Listed from a copy: writers do not wait for it.
    guard let document = handle.copy() else { return orders[name]?.keys ?? [] }
    let keys = DocumentTree(document).listedKeys(of: window.container, prefix: window.prefix)
    if orders.count >= Self.orderCountMax { orders = [:] }
    orders[name] = Order(keys: keys, listed: now, cost: ContinuousClock.now - now)
    return keys
  }

  /// Whether an order was shown although it is stale, and is to be listed later.
  var isAnyStale: Bool { orders.values.contains { $0.isStale } }
}
