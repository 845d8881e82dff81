import StarlingSQLite

extension SimulatedDisk {
  static let sectorByteCount = 512
  static let pageByteCount = 4096

  /// Guarded by `SimulatedDisk.state`.
  struct State {
    var files: [UInt64: File] = [:]
    /// As programs see them.
    var names: [String: UInt64] = [:]
    /// As they are on the disk.
    var keptNames: [String: UInt64] = [:]
    var directories: Set<String> = []
    /// In the order in which they were made.
    var unsynced: [Change] = []
    /// Ticks with every change.
    var clock = 0
    var nextInode: UInt64 = 1
    var isJournaling = true

    var callCount = 0
    var syncCount = 0
    var readCount = 0
    var fault: DiskFault?
    var planted: PlantedDiskFault?
    var darkFrom: Int?
    var isDark = false
    var liesFrom: Int?

    /// Of the processes that use the disk now. Files that others opened are dead.
    var generation = 0
    var nextHandle = 0
    /// The handle that holds a file whole.
    var owners: [UInt64: Int] = [:]
    /// SQLite's locks of each file, by handle.
    var locks: [UInt64: [Int: Int32]] = [:]
    /// By the name of the file that would hold it.
    var sharedMemories: [String: SharedMemory] = [:]
  }

  struct File: Sendable {
    var bytes: [UInt8] = []
    /// What is on the disk of it.
    var kept: [UInt8] = []
    var changed: Int
    var keptChanged: Int
  }

  enum Change: Sendable {
    case write(UInt64, at: Int, [UInt8])
    case truncation(UInt64, to: Int)
    /// Made, removed or renamed: a file for each name, or nil for none.
    case names([(path: String, inode: UInt64?)])

    var inode: UInt64? {
      switch self {
      case .write(let inode, _, _), .truncation(let inode, _): inode
      case .names: nil
      }
    }
  }
}

extension SimulatedDisk.State {
  // MARK: Changes

  mutating func make(_ path: String) -> UInt64 {
    clock += 1
    let inode = nextInode
    nextInode += 1
    files[inode] = SimulatedDisk.File(changed: clock, keptChanged: clock)
    name([(path, inode)])
    return inode
  }

  mutating func name(_ names: [(path: String, inode: UInt64?)]) {
    clock += 1
    for (path, inode) in names {
      self.names[path] = inode
      if let inode { files[inode]?.changed = clock }
    }
    unsynced.append(.names(names))
  }

  mutating func write(_ bytes: [UInt8], at offset: Int, of inode: UInt64, _ verdict: SimulatedDisk.Verdict) {
    clock += 1
    files[inode]?.changed = clock
    switch verdict {
    case .lost:
      files[inode]?.bytes.place(bytes, at: offset)
    case .misdirected:
      files[inode]?.bytes.place(bytes, at: offset + SimulatedDisk.pageByteCount)
      unsynced.append(.write(inode, at: offset + SimulatedDisk.pageByteCount, bytes))
    case .proceed:
      files[inode]?.bytes.place(bytes, at: offset)
      unsynced.append(.write(inode, at: offset, bytes))
    }
  }

  mutating func truncate(_ inode: UInt64, to byteCount: Int) {
    clock += 1
    files[inode]?.changed = clock
    files[inode]?.bytes.setCount(byteCount)
    unsynced.append(.truncation(inode, to: byteCount))
  }

  /// - Parameter inode: nil for the names of a directory.
  mutating func sync(_ inode: UInt64?) {
    var rest: [SimulatedDisk.Change] = []
    for change in unsynced {
      guard isCovered(change, bySyncOf: inode) else {
        rest.append(change)
        continue
      }
      keep(change)
      if case .truncation(let file, let byteCount) = change {
        // What was written behind the new end before never comes to the disk.
        rest.removeAll { earlier in
          if case .write(file, let offset, _) = earlier { offset >= byteCount } else { false }
        }
      }
    }
    unsynced = rest
    if let inode, let changed = files[inode]?.changed { files[inode]?.keptChanged = changed }
  }

  private func isCovered(_ change: SimulatedDisk.Change, bySyncOf inode: UInt64?) -> Bool {
    switch change {
    case .write(let file, _, _): file == inode
    case .truncation(let file, _): file == inode || isJournaling
    case .names: inode == nil || isJournaling
    }
  }

  /// Of a write what is between two of its bytes.
  private mutating func keep(_ change: SimulatedDisk.Change, _ part: Range<Int>? = nil) {
    switch change {
    case .write(let inode, let offset, let bytes):
      let part = part ?? 0..<bytes.count
      files[inode]?.kept.place(Array(bytes[part]), at: offset + part.lowerBound)
    case .truncation(let inode, let byteCount): files[inode]?.kept.setCount(byteCount)
    case .names(let names):
      for (path, inode) in names { keptNames[path] = inode }
    }
  }

  // MARK: Ends

  mutating func endProcesses() {
    generation += 1
    (owners, locks, sharedMemories) = ([:], [:], [:])
    fault = nil
    darkFrom = nil
    isDark = false
    liesFrom = nil
  }

  mutating func losePower(_ loss: PowerLoss, _ seed: UInt64) {
    endProcesses()
    var chance = Chance(seed: seed)
    let likelihood = [0.1, 0.5, 0.9].randomElement(using: &chance)!
    let first = Int.random(in: 0...unsynced.count, using: &chance)
    // A journal keeps the order of what is done to names.
    var namesLeft = Int.random(in: 0...unsynced.count(where: { $0.inode == nil }), using: &chance)
    var changed: Set<UInt64> = []
    for (place, change) in unsynced.enumerated() {
      for part in parts(of: change, by: loss) {
        let comes: Bool
        switch loss {
        case .nothing: comes = false
        case .everything: comes = true
        case .first: comes = place < first
        case .any, .tornSectors, .tornPages:
          if change.inode == nil {
            comes = namesLeft > 0
            namesLeft -= 1
          } else {
            comes = Double.random(in: 0..<1, using: &chance) < likelihood
          }
        }
        guard comes else { continue }
        keep(change, part)
        if let inode = change.inode { changed.insert(inode) }
      }
    }
    unsynced = []
    names = keptNames
    for inode in files.keys.sorted() {
      guard let file = files[inode] else { continue }
      let moment = changed.contains(inode) ? file.changed : file.keptChanged
      files[inode] = SimulatedDisk.File(bytes: file.kept, kept: file.kept, changed: moment, keptChanged: moment)
    }
  }

  /// Where a write may be torn; one part for all else.
  private func parts(of change: SimulatedDisk.Change, by loss: PowerLoss) -> [Range<Int>?] {
    guard case .write(_, let offset, let bytes) = change, loss == .tornSectors || loss == .tornPages else {
      return [nil]
    }
    let unit = loss == .tornSectors ? SimulatedDisk.sectorByteCount : SimulatedDisk.pageByteCount
    var parts: [Range<Int>?] = []
    var begin = 0
    while begin < bytes.count {
      let end = min(bytes.count, begin + unit - (offset + begin) % unit)
      parts.append(begin..<end)
      begin = end
    }
    return parts
  }

  mutating func copyFiles(of path: String, to target: String) {
    directories.insert(target)
    for (name, inode) in names.sorted(by: { $0.key < $1.key }) where name.hasPrefix(path + "/") {
      guard let bytes = files[inode]?.bytes else { continue }
      copy(bytes, to: target + name.dropFirst(path.count))
    }
    sync(nil)
  }

  mutating func copy(_ bytes: [UInt8], to path: String) {
    let copy = make(path)
    write(bytes, at: 0, of: copy, .proceed)
    sync(copy)
  }

  mutating func removeFiles(of path: String) {
    for (name, _) in names.sorted(by: { $0.key < $1.key }) where name.hasPrefix(path + "/") { self.name([(name, nil)]) }
    sync(nil)
  }
}

/// The numbers of one loss of power (SplitMix64).
private struct Chance: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

extension [UInt8] {
  mutating func setCount(_ byteCount: Int) {
    if byteCount < count {
      removeLast(count - byteCount)
    } else {
      self += [UInt8](repeating: 0, count: byteCount - count)
    }
  }

  /// Writes `bytes` over what is there, or behind it.
  mutating func place(_ bytes: [UInt8], at offset: Int) {
    if count < offset + bytes.count { setCount(offset + bytes.count) }
    withUnsafeMutableBytes { own in
      bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: own[offset...]).copyMemory(from: $0) }
    }
  }
}
