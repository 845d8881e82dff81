import StarlingGuard
import StarlingSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension SimulatedDisk {
  /// How a call that changes something goes.
  enum Verdict {
    case proceed
    case misdirected
    case lost
  }

  enum Call {
    case write
    case sync
    case other
  }
}

extension SimulatedDisk.State {
  /// One more call that changes something.
  ///
  /// - Throws: where it does nothing but fail.
  mutating func begin(_ call: SimulatedDisk.Call, _ path: String) throws(SystemError) -> SimulatedDisk.Verdict {
    callCount += 1
    syncCount += call == .sync ? 1 : 0
    if isDark { throw SystemError(code: EIO, path: path) }
    // What is under way when the power goes may come to the disk, as all that is not synced.
    if let darkFrom, callCount >= darkFrom { isDark = true }
    guard let fault, fault.calls.contains(callCount) else { return .proceed }
    switch fault.kind {
    case .noSpace: throw SystemError(code: ENOSPC, path: path)
    case .ioError: throw SystemError(code: EIO, path: path)
    case .misdirected: return call == .write ? .misdirected : .proceed
    case .lost: return call == .write ? .lost : .proceed
    case .unreadable: return .proceed
    }
  }

  /// What a call that has begun says at its end.
  func end(_ path: String) throws(SystemError) {
    if isDark { throw SystemError(code: EIO, path: path) }
  }

  mutating func beginRead(_ path: String) throws(SystemError) {
    readCount += 1
    if isDark { throw SystemError(code: EIO, path: path) }
    if let fault, fault.kind == .unreadable, fault.calls.contains(readCount) {
      throw SystemError(code: EIO, path: path)
    }
  }

  var isLying: Bool { liesFrom.map { callCount > $0 } ?? false }

  /// Fails where the process that makes a call was killed.
  func check(_ generation: Int, _ path: String) throws(SystemError) {
    guard self.generation == generation else { throw SystemError(code: EIO, path: path) }
  }
}

extension SimulatedDisk {
  /// How often all processes were killed so far.
  var generation: Int { state.withLock { $0.generation } }

  /// As the state's, for what a process asks of the disk and not of a file.
  func check(_ generation: Int, _ path: String) throws(SystemError) {
    try state.withLock { state in Result { () throws(SystemError) in try state.check(generation, path) } }.get()
  }

  func open(_ path: String, _ use: FileUse) throws(SystemError) -> any StoreFile {
    try openFile(path, use)
  }

  func openFile(_ path: String, _ use: FileUse) throws(SystemError) -> SimulatedFile {
    let outcome = state.withLock { state in Result { () throws(SystemError) in try state.open(path, use) } }
    let (handle, generation, place) = try outcome.get()
    return SimulatedFile(self, path, handle: handle, generation: generation, place)
  }

  func identity(of path: String) throws(SystemError) -> FileIdentity? {
    try state.withLock { state in
      Result { () throws(SystemError) in
        try state.beginRead(path)
        guard let inode = state.names[path], let file = state.files[inode] else { return nil }
        return FileIdentity(
          device: 1, inode: inode, byteCount: Int64(file.bytes.count), changed: (seconds: file.changed, nanoseconds: 0))
      }
    }.get()
  }

  func isDirectory(_ path: String) -> Bool { state.withLock { $0.directories.contains(path) } }

  func names(in path: String) throws(SystemError) -> [String] {
    state.withLock { state in
      state.names.keys.filter { $0.hasPrefix(path + "/") }.map { String($0.dropFirst(path.count + 1)) }.sorted()
    }
  }

  func makeDirectory(at path: String) throws(SystemError) -> Bool {
    try state.withLock { state in
      Result { () throws(SystemError) in
        if state.directories.contains(path) { return false }
        _ = try state.begin(.other, path)
        state.directories.insert(path)
        try state.end(path)
        return true
      }
    }.get()
  }

  func rename(_ path: String, to target: String) throws(SystemError) {
    try state.withLock { state in
      Result { () throws(SystemError) in
        guard let inode = state.names[path] else { throw SystemError(code: ENOENT, path: target) }
        _ = try state.begin(.other, target)
        state.name([(path, nil), (target, inode)])
        try state.end(target)
      }
    }.get()
  }

  func unlink(_ path: String) throws(SystemError) -> Bool {
    try state.withLock { state in
      Result { () throws(SystemError) in
        if state.sharedMemories.removeValue(forKey: path) != nil { return true }
        guard state.names[path] != nil else { return false }
        _ = try state.begin(.other, path)
        state.name([(path, nil)])
        try state.end(path)
        return true
      }
    }.get()
  }

  func removeDirectory(at path: String) throws(SystemError) -> Bool {
    state.withLock { $0.directories.remove(path) != nil }
  }
}

extension SimulatedDisk.State {
  enum Place: Sendable {
    case file(UInt64)
    case directory
    case memory(SharedMemory)
  }

  fileprivate mutating func open(
    _ path: String, _ use: FileUse
  ) throws(SystemError) -> (handle: Int, generation: Int, Place) {
    if isDark { throw SystemError(code: EIO, path: path) }
    nextHandle += 1
    if use == .directory { return (nextHandle, generation, .directory) }
    if let memory = sharedMemories[path] { return (nextHandle, generation, .memory(memory)) }
    let inode: UInt64
    if let known = names[path] {
      inode = known
    } else {
      guard use != .reading else { throw SystemError(code: ENOENT, path: path) }
      _ = try begin(.other, path)
      inode = make(path)
      try end(path)
    }
    if use == .replacing, files[inode]?.bytes.isEmpty == false {
      _ = try begin(.other, path)
      truncate(inode, to: 0)
      try end(path)
    }
    return (nextHandle, generation, .file(inode))
  }
}

/// A file that a process has open.
final class SimulatedFile: StoreFile {
  let disk: SimulatedDisk
  let path: String
  let handle: Int
  private let generation: Int
  private let place: SimulatedDisk.State.Place

  init(
    _ disk: SimulatedDisk, _ path: String, handle: Int, generation: Int, _ place: SimulatedDisk.State.Place
  ) {
    (self.disk, self.path, self.handle, self.generation, self.place) = (disk, path, handle, generation, place)
  }

  deinit { unlock() }

  var inode: UInt64? { if case .file(let inode) = place { inode } else { nil } }

  /// Runs `body` on what the disk is, as long as the process lives that opened the file.
  func withDisk<Value: Sendable>(
    _ body: (inout SimulatedDisk.State, UInt64) throws(SystemError) -> Value
  ) throws(SystemError) -> Value {
    try disk.state.withLock { state in
      Result { () throws(SystemError) in
        try state.check(generation, path)
        guard let inode else { throw SystemError(code: EIO, path: path) }
        return try body(&state, inode)
      }
    }.get()
  }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    if case .memory(let memory) = place { return memory.read(at: offset, into: buffer) }
    return try withDisk { (state, inode) throws(SystemError) in
      try state.beginRead(path)
      return state.files[inode]?.bytes.withUnsafeBytes { bytes in
        let count = max(0, min(buffer.count, bytes.count - offset))
        if count > 0 { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])) }
        return count
      } ?? 0
    }
  }

  func write(at offset: Int, _ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Int {
    let bytes = [UInt8](bytes)
    return try withDisk { (state, inode) throws(SystemError) in
      do throws(SystemError) {
        let verdict = try state.begin(.write, path)
        state.write(bytes, at: offset, of: inode, verdict)
      } catch {
        // What there was space for is written.
        let count = bytes.count / 2 / SimulatedDisk.sectorByteCount * SimulatedDisk.sectorByteCount
        if error.code == ENOSPC, count > 0 { state.write(Array(bytes[..<count]), at: offset, of: inode, .proceed) }
        throw error
      }
      try state.end(path)
      return bytes.count
    }
  }

  func truncate(to byteCount: Int) throws(SystemError) {
    try withDisk { (state, inode) throws(SystemError) in
      guard state.files[inode]?.bytes.count != byteCount else { return }
      _ = try state.begin(.other, path)
      state.truncate(inode, to: byteCount)
      try state.end(path)
    }
  }

  func sync() throws(SystemError) {
    try disk.state.withLock { state in
      Result { () throws(SystemError) in
        try state.check(generation, path)
        do throws(SystemError) {
          _ = try state.begin(.sync, path)
          try state.end(path)
        } catch {
          if state.fault?.forgetsUnsynced == true, let inode {
            state.unsynced.removeAll { $0.inode == inode }
          }
          throw error
        }
        if !state.isLying, !state.omitsSync(of: path, isDirectory: inode == nil) { state.sync(inode) }
      }
    }.get()
  }

  func lock() throws(SystemError) -> Bool {
    try withDisk { (state, inode) throws(SystemError) in
      guard state.owners[inode] == nil || state.owners[inode] == handle else { return false }
      state.owners[inode] = handle
      return true
    }
  }

  func unlock() {
    disk.state.withLock { state in
      guard state.generation == generation, let inode else { return }
      if state.owners[inode] == handle { state.owners[inode] = nil }
      state.locks[inode]?[handle] = nil
    }
  }

  func byteCount() throws(SystemError) -> Int {
    try withDisk { (state, inode) throws(SystemError) in state.files[inode]?.bytes.count ?? 0 }
  }
}

extension SimulatedDisk.State {
  /// What a careless program does not sync.
  fileprivate func omitsSync(of path: String, isDirectory: Bool) -> Bool {
    switch planted {
    case nil: false
    case .databaseNotSynced: path.hasSuffix(".sqlite") || path.hasSuffix("-wal") || path.hasSuffix("-journal")
    case .writeAheadLogNotSynced: path.hasSuffix("-wal")
    case .renamedBeforeSync: path.hasSuffix(".new") || path.contains("/unfinished.sqlite")
    case .directoryNotSynced: isDirectory
    }
  }
}
