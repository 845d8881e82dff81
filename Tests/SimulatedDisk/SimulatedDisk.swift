import StarlingGuard

/// A disk in memory below the real SQLite log, which fails as it is told to and loses its power.
///
/// ```
///   SQLiteLog ── SimulatedProcess ───────┐
///       └────── SQLite ── SimulatedVFS ──┴──► what programs see ── sync ──► what is kept
///                                                    │                          ▲
///                                    changes that no sync was honoured for ─────┘ by chance, when the power goes
/// ```
///
/// What the disk does follows from the calls that are made, from what it was told to do, and from the numbers that
/// `losePower` draws, and from nothing else. The contents of a write-ahead log hold random numbers of SQLite's own.
///
/// Directories are there for good once they are made: a store makes one, once, and syncs the one above.
package final class SimulatedDisk: Sendable {
  let state = Guarded(State())
  private let number: Int

  package init() {
    number = SimulatedVFS.nextNumber()
    SimulatedVFS.enter(self, number)
  }

  deinit { SimulatedVFS.remove(number) }

  /// Where a directory of that name is, on this disk.
  package func path(_ name: String) -> String { "/simulated/\(number)/\(name)" }

  // MARK: What goes wrong

  /// How many calls changed something so far, or tried to.
  package var callCount: Int { state.withLock { $0.callCount } }

  /// How many of them were to bring to the disk what was written.
  package var syncCount: Int { state.withLock { $0.syncCount } }

  /// How many calls read something so far, or tried to.
  package var readCount: Int { state.withLock { $0.readCount } }

  /// Fails some of the calls to come, in place of those named before.
  package func plan(_ fault: DiskFault?) {
    state.withLock { $0.fault = fault }
  }

  /// The power goes at a later call that changes something: `callCount` of them from now. Nothing works then until
  /// `losePower`.
  package func cutPower(afterCalls count: Int) {
    state.withLock { $0.darkFrom = $0.callCount + count }
  }

  /// Whether the power is gone.
  package var isDark: Bool { state.withLock { $0.isDark } }

  /// Whether syncs say that they have done what they have not; from a later call on.
  package func lie(afterCalls count: Int?) {
    state.withLock { state in state.liesFrom = count.map { state.callCount + $0 } }
  }

  /// What kind of file system it has: with a journal any sync brings along all that was done to names and lengths.
  package func setJournaling(_ isJournaling: Bool) {
    state.withLock { $0.isJournaling = isJournaling }
  }

  /// What the program itself leaves out, in every call from now on.
  package func plant(_ fault: PlantedDiskFault?) {
    state.withLock { $0.planted = fault }
  }

  // MARK: Ends of processes

  /// Every process that uses the disk is killed: what they wrote stays, as the system has it.
  package func endProcesses() {
    state.withLock { $0.endProcesses() }
  }

  /// The same, and the system with them: of what was not synced the disk has what `loss` says.
  package func losePower(_ loss: PowerLoss, using generator: inout some RandomNumberGenerator) {
    let seed = generator.next()
    state.withLock { $0.losePower(loss, seed) }
  }

  // MARK: Images

  /// All that is on it, block by block; nobody uses it.
  package func image() -> DiskImage {
    state.withLock { state in
      DiskImage(
        root: path(""), files: state.files, names: state.names, directories: state.directories, clock: state.clock)
    }
  }

  /// Puts all of it back as it was, block by block, on the same disk or on another.
  package func restore(_ image: DiskImage) {
    let root = path("")
    func moved(_ path: String) -> String { root + path.dropFirst(image.root.count) }
    let names = Dictionary(uniqueKeysWithValues: image.names.map { (moved($0.key), $0.value) })
    let directories = image.directories.filter { $0.hasPrefix(image.root) }.map(moved)
    state.withLock { state in
      state.endProcesses()
      (state.files, state.names, state.keptNames) = (image.files, names, names)
      state.directories.formUnion(directories)
      (state.clock, state.nextInode) = (
        max(state.clock, image.clock), max(state.nextInode, (image.files.keys.max() ?? 0) + 1)
      )
      state.unsynced = []
      for (inode, file) in image.files {
        state.files[inode]?.kept = file.bytes
        state.files[inode]?.keptChanged = file.changed
      }
    }
  }

  /// Copies what would be left of a directory of another disk if that lost its power now.
  package func copyKept(from other: SimulatedDisk, _ path: String, to target: String) {
    let (files, names) = other.state.withLock { ($0.files, $0.keptNames) }
    state.withLock { state in
      state.directories.insert(target)
      for (name, inode) in names.sorted(by: { $0.key < $1.key }) where name.hasPrefix(path + "/") {
        guard let bytes = files[inode]?.kept else { continue }
        state.copy(bytes, to: target + name.dropFirst(path.count))
      }
      state.sync(nil)
    }
  }

  /// Copies the files of a directory, as `cp` does: other files with the same contents.
  package func copyFiles(of path: String, to target: String) {
    state.withLock { $0.copyFiles(of: path, to: target) }
  }

  /// Removes what is in a directory, for good.
  package func removeFiles(of path: String) {
    state.withLock { $0.removeFiles(of: path) }
  }
}

/// All that was on a disk at one moment.
package struct DiskImage: Sendable {
  /// The path of the disk.
  let root: String
  let files: [UInt64: SimulatedDisk.File]
  let names: [String: UInt64]
  let directories: Set<String>
  let clock: Int
}

/// What goes wrong with some calls in a row, counted from 1 on.
package struct DiskFault: Sendable {
  package enum Kind: Sendable, CaseIterable {
    case noSpace
    case ioError
    /// Reads fail.
    case unreadable
    /// A write goes a page further than it should, and says that it did not.
    case misdirected
    /// A write does nothing, and says that it was done.
    case lost
  }

  package var kind: Kind
  package var calls: ClosedRange<Int>
  /// Whether a sync that fails also forgets what it was to bring to the disk, as some systems do.
  package var forgetsUnsynced: Bool

  package init(_ kind: Kind, calls: ClosedRange<Int>, forgetsUnsynced: Bool = false) {
    (self.kind, self.calls, self.forgetsUnsynced) = (kind, calls, forgetsUnsynced)
  }
}

/// What a program would get wrong that used the disk with less care.
package enum PlantedDiskFault: String, Sendable, CaseIterable {
  /// As with `PRAGMA synchronous = OFF`.
  case databaseNotSynced
  case writeAheadLogNotSynced
  /// A file takes its name before what is in it is synced.
  case renamedBeforeSync
  case directoryNotSynced
}

/// What the disk has of what was not synced when its power goes.
package enum PowerLoss: Sendable, CaseIterable {
  case nothing
  /// What came first.
  case first
  /// Any of the changes; those of names in their order.
  case any
  /// Any of the sectors of any of the changes.
  case tornSectors
  /// Any of the pages of any of the changes.
  case tornPages
  case everything
}
