import CThread
import Synchronization

/// What can be read and change: its number, its version and its readers. It exists while somebody may need it;
/// what nobody ever read in an observer has none.
@usableFromInline struct SourceRecord: ~Copyable {
  /// Never given to another source.
  let number: UInt64
  let home: HomePointer
  let owner: Owner
  /// Guarded by the lock that rules `home`.
  let guarded = Inline(Guarded())

  struct Guarded {
    /// Grows with every change.
    var version: UInt64 = 0
    var firstReader: LinkPointer?
    /// The last run that read it: a run that reads it twice notes it once.
    var lastRun: UInt64 = 0
  }

  /// The owner of a source, which is told when the last reader has left.
  enum Owner {
    /// A cell or a `Source`, which keeps its record.
    case cell
    /// A table of sources by key, which forgets the key.
    case table(Unmanaged<SourceTable>)
    /// A derived value, which is asked for its version.
    case derived(Unmanaged<DerivedNode>)
  }
}

@usableFromInline typealias SourcePointer = UnsafeMutablePointer<SourceRecord>

extension SourcePointer {
  @inline(__always) var guarded: UnsafeMutablePointer<SourceRecord.Guarded> { pointee.guarded.address }

  /// Under the home's lock.
  static func make(in home: HomePointer, owner: SourceRecord.Owner) -> SourcePointer {
    let record = SourcePointer.allocate(capacity: 1)
    record.initialize(to: SourceRecord(number: thisThread().nextNumber(), home: home, owner: owner))
    home.retain()
    thisThread().pointee.census.sources += 1
    return record
  }

  /// Notes that the reader's present run read this. Under the home's lock, which also guards the value: what
  /// the run sees and what it is woken for cannot differ.
  @inline(__always) func note(_ reader: ReaderPointer) {
    let run = reader.pointee.run.load(ordering: .relaxed)
    guard guarded.pointee.lastRun != run else { return }
    guarded.pointee.lastRun = run
    reader.own.pointee.dependencies.note(self, run: run, reader: reader)
  }

  /// Tells every reader that what it read is out of date. Under the home's lock.
  @inline(__always) func touch(on thread: ThisThread) {
    guarded.pointee.version += 1
    var link = guarded.pointee.firstReader
    while let present = link {
      link = present.guarded.pointee.nextReader
      present.markStale(on: thread)
    }
  }

  /// Puts a link at the head of the list. Under the home's lock.
  func add(_ link: LinkPointer) {
    let head = guarded.pointee.firstReader
    link.guarded.pointee.nextReader = head
    head?.guarded.pointee.previousReader = link
    guarded.pointee.firstReader = link
    pointee.home.retain()
    thisThread().pointee.census.links += 1
    thisThread().pointee.census.links_ever += 1
  }

  /// Leaves the readers behind without a source, and dies. Unlocks `owningLock`.
  func end(under owningLock: HomePointer) {
    let home = pointee.home
    let dropped = detach()
    home.release(dropped, under: owningLock)
  }

  /// The same, leaving the home to the caller.
  ///
  /// - Returns: The references to the home that went with it, for the caller to release.
  func detach() -> Int {
    var link = guarded.pointee.firstReader
    while let present = link {
      link = present.guarded.pointee.nextReader
      present.guarded.pointee.source = nil
      thisThread().pointee.census.links -= 1
    }
    deinitialize(count: 1)
    deallocate()
    thisThread().pointee.census.sources -= 1
    return 1
  }
}

extension LinkPointer {
  /// Tells the reader that what it read has changed. Under the lock of the source's home.
  @inline(__always) func markStale(on thread: ThisThread) {
    let reader = pointee.reader
    if reader.isDerived {
      derivedDomain.lockSelf()
      reader.markDerived(.stale, through: self, on: thread)
      derivedDomain.unlock()
    } else {
      reader.wake(.stale, through: self, on: thread)
    }
  }

  /// Takes the link out of its source's list, if the source still lives. Called by the reader's runner.
  ///
  /// - Parameter owningLock: The lock that the caller holds, if any, and afterwards the one held now: links to the
  ///   models of one document, one after another, take its lock once.
  func unlink(under owningLock: inout HomePointer?) {
    let home = pointee.home
    home.lock(inPlaceOf: &owningLock)
    var dropped = 1
    if let source = guarded.pointee.source {
      thisThread().pointee.census.links -= 1
      let links = guarded.pointee
      links.nextReader?.guarded.pointee.previousReader = links.previousReader
      if let previous = links.previousReader {
        previous.guarded.pointee.nextReader = links.nextReader
      } else {
        source.guarded.pointee.firstReader = links.nextReader
        if links.nextReader == nil, case .table(let table) = source.pointee.owner {
          table._withUnsafeGuaranteedRef { $0.forget(source) }
          dropped += source.detach()
        }
      }
    }
    home.release(dropped, keeping: &owningLock)
  }
}
