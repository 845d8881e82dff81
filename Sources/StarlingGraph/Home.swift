import CThread
public import StarlingGuard
import Synchronization

/// Where an object's cells live: the way to the lock that guards their values and their readers.
///
/// An object made before it belongs to a document has a lock of its own; attaching it swaps the lock for the
/// document's. Everything about a home changes under its *ruling* lock only, and whoever has locked looks
/// again whether the lock still rules:
///
///     detached    Home ──▶ record ◀─┐            attached    Home ──▶ record        Domain ──▶ record ◀─┐
///                         ruler ────┘                                ruler ─────────────────▶ ruler ────┘
///
/// A home is attached once. Lock order: the document's, then a detached object's, then the junction's.
public struct Home: ~Copyable, @unchecked Sendable {
  // Sendable: the record is reached through its lock, and lives until the last user has dropped it.
  @usableFromInline let record: HomePointer

  /// A home of its own, with its own lock.
  public init() {
    record = HomeRecord.make()
    thisThread().pointee.census.homes += 1
  }

  deinit {
    let owningLock = record.lock()
    record.release(under: owningLock)
  }

  /// Puts the cells of this home under the document's lock.
  ///
  /// - Returns: Whether they are there now; false where they are under another document's.
  package borrowing func attach(to domain: borrowing Domain) -> Bool {
    record.attach(to: domain.home.record)
  }

  /// Whether both are under one lock now.
  package borrowing func isRuled(by domain: borrowing Domain) -> Bool {
    record.pointee.owningLock.load(ordering: .acquiring) == domain.home.record
  }
}

extension Home {
  /// Its sources, the links that readers keep to them, the homes attached to it, and itself: one when nothing is
  /// left. For tests.
  package var referenceCount: Int {
    let owningLock = record.lock()
    defer { owningLock.unlock() }
    return record.referenceCount
  }
}

/// One lock that guards the values and reader lists of every cell in it; one for each open document.
public final class Domain: Sendable {
  /// For cells that belong to the document itself.
  package let home = Home()

  /// A lock that guards no cells yet.
  public init() {}
}

@usableFromInline typealias HomePointer = UnsafeMutablePointer<HomeRecord>

@usableFromInline struct HomeRecord: ~Copyable {
  @usableFromInline let lock = Guard()
  /// The record whose lock rules: this one, or a document's for good. Written while holding both.
  let owningLock: Atomic<HomePointer>
  /// Its owner, sources, links and attached homes. Guarded by the ruling lock.
  let references = Inline(1)

  init(owningLock: HomePointer) {
    self.owningLock = Atomic(owningLock)
  }

  static func make() -> HomePointer {
    let record = HomePointer.allocate(capacity: 1)
    record.initialize(to: HomeRecord(owningLock: record))
    return record
  }
}

extension HomePointer {
  private(set) var referenceCount: Int {
    @inline(__always) get { pointee.references.address.pointee }
    @inline(__always) nonmutating set { pointee.references.address.pointee = newValue }
  }

  /// Locks whatever rules this home and returns it, for `unlock`.
  ///
  /// The ruler read here is alive: it is this record, which the caller keeps, or a document's, which this
  /// record keeps.
  @usableFromInline @inline(__always) func lock() -> HomePointer {
    let owningLock = pointee.owningLock.load(ordering: .acquiring)
    owningLock.pointee.lock.lock()
    return pointee.owningLock.load(ordering: .relaxed) == owningLock ? owningLock : lockAgain(after: owningLock)
  }

  /// Another rules since, for good.
  @inline(never) private func lockAgain(after former: HomePointer) -> HomePointer {
    former.unlock()
    return lock()
  }

  /// The same, where a lock may be held already: it is kept if it rules this home too, and opened if not.
  @inline(__always) func lock(inPlaceOf owningLock: inout HomePointer?) {
    // Whoever holds the ruling lock sees who rules.
    if let owningLock, pointee.owningLock.load(ordering: .relaxed) == owningLock { return }
    owningLock?.unlock()
    owningLock = lock()
  }

  /// Locks a record that rules itself for good: the junction's.
  @inline(__always) func lockSelf() {
    pointee.lock.lock()
  }

  /// Ends a `lock`, called on what it returned.
  @inlinable @inline(__always) func unlock() {
    pointee.lock.unlock()
  }

  /// Opens a batch and locks.
  @usableFromInline func openWrite() -> HomePointer {
    thisThread().openBatch()
    return lock()
  }

  func attach(to domain: HomePointer) -> Bool {
    if self == domain { return true }
    domain.pointee.lock.lock()
    defer { domain.pointee.lock.unlock() }
    pointee.lock.lock()
    defer { pointee.lock.unlock() }
    let owningLock = pointee.owningLock.load(ordering: .relaxed)
    if owningLock == self {
      domain.referenceCount += 1
      pointee.owningLock.store(domain, ordering: .releasing)
      return true
    }
    return owningLock == domain
  }

  @inline(__always) func retain() {
    referenceCount += 1
  }

  /// Drops `count` references and unlocks `owningLock`; frees what nobody refers to any more.
  func release(_ count: Int = 1, under owningLock: HomePointer) {
    var owningLock: HomePointer? = owningLock
    release(count, keeping: &owningLock)
    owningLock?.unlock()
  }

  /// The same, leaving the lock held, unless it went with the last reference to it.
  @inline(__always) func release(_ count: Int, keeping owningLock: inout HomePointer?) {
    referenceCount -= count
    if referenceCount == 0 { end(&owningLock) }
  }

  @inline(never) private func end(_ owningLock: inout HomePointer?) {
    guard let held = owningLock, held != self else {
      unlock()
      owningLock = nil
      return free()
    }
    free()
    held.referenceCount -= 1
    guard held.referenceCount == 0 else { return }
    held.unlock()
    owningLock = nil
    held.free()
  }

  private func free() {
    deinitialize(count: 1)
    deallocate()
    thisThread().pointee.census.homes -= 1
  }
}
