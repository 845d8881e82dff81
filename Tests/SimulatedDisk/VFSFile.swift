import GRDB
import GRDBSQLite
import StarlingSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file that a connection of SQLite has open. It is used by that connection's thread alone.
final class VFSFile {
  let file: SimulatedFile
  var directoryIsUnsynced = false
  var isDeletedAtClose = false
  var isReadOnly = false
  fileprivate var keepsWriteAheadLog = false
  private var memory: SharedMemory?

  init(_ file: SimulatedFile) { self.file = file }

  private var disk: SimulatedDisk { file.disk }

  // MARK: Bytes

  fileprivate func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) -> Bool {
    let count = try file.read(at: offset, into: buffer)
    guard count < buffer.count else { return true }
    // "It should fill the unread portions of the buffer with zeros" (sqlite.org/c3ref/io_methods.html).
    UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).initializeMemory(as: UInt8.self, repeating: 0)
    return false
  }

  fileprivate func sync() throws(SystemError) {
    try file.sync()
    guard directoryIsUnsynced else { return }
    let end = file.path.lastIndex(of: "/") ?? file.path.startIndex
    try disk.open(String(file.path[..<end]), .directory).sync()
    directoryIsUnsynced = false
  }

  // MARK: Locks of the file

  fileprivate func lock(_ level: Int32) throws(SystemError) -> Bool {
    let handle = file.handle
    // fcntl(2): a lock to write needs a descriptor that is open for writing.
    if isReadOnly, level > SQLITE_LOCK_SHARED { throw SystemError(code: EBADF, path: file.path) }
    return try file.withDisk { (state, inode) throws(SystemError) in
      let own = state.locks[inode]?[handle] ?? SQLITE_LOCK_NONE
      guard own < level else { return true }
      let others = (state.locks[inode] ?? [:]).filter { $0.key != handle }.values.max() ?? SQLITE_LOCK_NONE
      switch level {
      case SQLITE_LOCK_SHARED:
        guard others < SQLITE_LOCK_PENDING else { return false }
      case SQLITE_LOCK_RESERVED:
        guard others < SQLITE_LOCK_RESERVED else { return false }
      default:
        guard others < SQLITE_LOCK_RESERVED else { return false }
        if others > SQLITE_LOCK_NONE {
          state.locks[inode, default: [:]][handle] = SQLITE_LOCK_PENDING
          return false
        }
      }
      state.locks[inode, default: [:]][handle] = level
      return true
    }
  }

  fileprivate func unlock(_ level: Int32) {
    let handle = file.handle
    _ = try? file.withDisk { (state, inode) in
      state.locks[inode]?[handle] = level == SQLITE_LOCK_NONE ? nil : level
    }
  }

  fileprivate func isReserved() throws(SystemError) -> Bool {
    try file.withDisk { (state, inode) throws(SystemError) in
      state.locks[inode]?.values.contains { $0 >= SQLITE_LOCK_RESERVED } ?? false
    }
  }

  // MARK: Shared memory

  fileprivate func region(_ place: Int, byteCount: Int, isExtending: Bool) throws(SystemError) -> UInt? {
    let path = file.path + "-shm"
    let known = memory
    let memory = try file.withDisk { (state, _) throws(SystemError) in
      let memory = known ?? state.sharedMemories[path]
      if let memory, memory.has(place) || !isExtending { return memory }
      _ = try state.begin(.other, path)
      try state.end(path)
      let made = memory ?? SharedMemory()
      state.sharedMemories[path] = made
      return made
    }
    self.memory = memory
    return memory.region(place, byteCount: byteCount, isExtending: isExtending, for: file.handle)
  }

  fileprivate func lockMemory(_ places: Range<Int>, _ flags: Int32) -> Int32 {
    guard let memory else { return SQLITE_IOERR_SHMLOCK }
    let isExclusive = flags & SQLITE_SHM_EXCLUSIVE != 0
    if flags & SQLITE_SHM_UNLOCK != 0 {
      memory.unlock(places, isExclusive: isExclusive, for: file.handle)
      return SQLITE_OK
    }
    return memory.lock(places, isExclusive: isExclusive, for: file.handle) ? SQLITE_OK : SQLITE_BUSY
  }

  fileprivate func leaveMemory(isDeleting: Bool) {
    guard let memory else { return }
    self.memory = nil
    let path = file.path + "-shm"
    guard memory.leave(file.handle), isDeleting else { return }
    _ = try? file.withDisk { (state, _) in
      if state.sharedMemories[path] === memory { state.sharedMemories[path] = nil }
    }
  }

  fileprivate func close() {
    leaveMemory(isDeleting: false)
    if isDeletedAtClose { _ = try? disk.unlink(file.path) }
  }
}

// MARK: As SQLite calls it

extension VFSFile {
  // Made once, never changed and never freed: safe to read from any thread.
  nonisolated(unsafe) static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: sqlite3_io_methods())
    methods.pointee.iVersion = 2
    setFileCalls(of: methods)
    setLockCalls(of: methods)
    setMemoryCalls(of: methods)
    return methods
  }()

  private static func setFileCalls(of methods: UnsafeMutablePointer<sqlite3_io_methods>) {
    methods.pointee.xClose = { pointer in
      pointer.opened.takeRetainedValue().close()
      return SQLITE_OK
    }
    methods.pointee.xRead = { pointer, buffer, byteCount, offset in
      let buffer = UnsafeMutableRawBufferPointer(start: buffer, count: Int(byteCount))
      do {
        return try pointer.file.read(buffer, at: Int(offset)) ? SQLITE_OK : SQLITE_IOERR_SHORT_READ
      } catch {
        return SQLITE_IOERR_READ
      }
    }
    methods.pointee.xWrite = { pointer, bytes, byteCount, offset in
      let bytes = UnsafeRawBufferPointer(start: bytes, count: Int(byteCount))
      do throws(SystemError) {
        return try pointer.file.file.write(at: Int(offset), bytes) == bytes.count ? SQLITE_OK : SQLITE_FULL
      } catch {
        return error.code == ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE
      }
    }
    methods.pointee.xTruncate = { pointer, byteCount in
      code(SQLITE_IOERR_TRUNCATE) { () throws(SystemError) in try pointer.file.file.truncate(to: Int(byteCount)) }
    }
    methods.pointee.xSync = { pointer, _ in
      code(SQLITE_IOERR_FSYNC) { () throws(SystemError) in try pointer.file.sync() }
    }
    methods.pointee.xFileSize = { pointer, byteCount in
      code(SQLITE_IOERR_FSTAT) { () throws(SystemError) in
        byteCount?.pointee = Int64(try pointer.file.file.byteCount())
      }
    }
    methods.pointee.xFileControl = { pointer, operation, argument in
      guard operation == SQLITE_FCNTL_PERSIST_WAL, let argument else { return SQLITE_NOTFOUND }
      let isKept = argument.assumingMemoryBound(to: Int32.self)
      // Less than 0 asks.
      if isKept.pointee >= 0 { pointer.file.keepsWriteAheadLog = isKept.pointee > 0 }
      isKept.pointee = pointer.file.keepsWriteAheadLog ? 1 : 0
      return SQLITE_OK
    }
    methods.pointee.xSectorSize = { _ in Int32(SimulatedDisk.pageByteCount) }
    // As SQLite's own on Linux: a write that is torn leaves the bytes beside it alone.
    methods.pointee.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
  }

  private static func setLockCalls(of methods: UnsafeMutablePointer<sqlite3_io_methods>) {
    methods.pointee.xLock = { pointer, level in
      do {
        return try pointer.file.lock(level) ? SQLITE_OK : SQLITE_BUSY
      } catch {
        return SQLITE_IOERR_LOCK
      }
    }
    methods.pointee.xUnlock = { pointer, level in
      pointer.file.unlock(level)
      return SQLITE_OK
    }
    methods.pointee.xCheckReservedLock = { pointer, isReserved in
      code(SQLITE_IOERR_CHECKRESERVEDLOCK) { () throws(SystemError) in
        isReserved?.pointee = try pointer.file.isReserved() ? 1 : 0
      }
    }
  }

  private static func setMemoryCalls(of methods: UnsafeMutablePointer<sqlite3_io_methods>) {
    methods.pointee.xShmMap = { pointer, place, byteCount, isExtending, region in
      do throws(SystemError) {
        let address = try pointer.file.region(Int(place), byteCount: Int(byteCount), isExtending: isExtending != 0)
        region?.pointee = address.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
        return SQLITE_OK
      } catch {
        return error.code == ENOSPC ? SQLITE_IOERR_SHMSIZE : SQLITE_IOERR_SHMMAP
      }
    }
    methods.pointee.xShmLock = { pointer, first, count, flags in
      pointer.file.lockMemory(Int(first)..<Int(first + count), flags)
    }
    // One thread at a time uses a simulated disk.
    methods.pointee.xShmBarrier = { _ in }
    methods.pointee.xShmUnmap = { pointer, isDeleting in
      pointer.file.leaveMemory(isDeleting: isDeleting != 0)
      return SQLITE_OK
    }
  }
}

extension UnsafeMutablePointer<sqlite3_file>? {
  /// SQLite calls with nothing but files that it has opened.
  fileprivate var opened: Unmanaged<VFSFile> { UnsafeRawPointer(self!).load(as: OpenedFile.self).file }
  fileprivate var file: VFSFile { opened.takeUnretainedValue() }
}

private func code(_ failure: Int32, _ body: () throws(SystemError) -> Void) -> Int32 {
  do {
    try body()
    return SQLITE_OK
  } catch {
    return failure
  }
}
