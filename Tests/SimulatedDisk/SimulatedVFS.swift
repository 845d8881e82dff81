import GRDB
import GRDBSQLite
import StarlingGuard
import StarlingSQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// SQLite's way to simulated disks, chosen by the name of the `sqlite3_vfs` in a URI (sqlite.org/vfs.html). A path
/// says which disk: `/simulated/NUMBER/…`.
enum SimulatedVFS {
  static let name = "starling-simulated"

  private struct WeakDisk {
    weak var disk: SimulatedDisk?
  }

  private struct State {
    var disks: [Int: WeakDisk] = [:]
    var nextNumber = 1
    var nextTemporary = 0
  }

  private static let state = Guarded(State())

  static func nextNumber() -> Int {
    state.withLock { state in
      defer { state.nextNumber += 1 }
      return state.nextNumber
    }
  }

  static func enter(_ disk: SimulatedDisk, _ number: Int) {
    _ = isRegistered
    state.withLock { $0.disks[number] = WeakDisk(disk: disk) }
  }

  static func remove(_ number: Int) {
    state.withLock { $0.disks[number] = nil }
  }

  fileprivate static func disk(of path: String) -> SimulatedDisk? {
    let words = path.split(separator: "/", maxSplits: 2)
    guard words.count == 3, words[0] == "simulated", let number = Int(words[1]) else { return nil }
    return state.withLock { $0.disks[number]?.disk }
  }

  /// Once a process, for as long as that lives.
  private static let isRegistered: Bool = {
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: sqlite3_vfs())
    vfs.pointee.iVersion = 2
    vfs.pointee.szOsFile = Int32(MemoryLayout<OpenedFile>.size)
    vfs.pointee.mxPathname = 512
    vfs.pointee.zName = UnsafePointer(strdup(name))
    setCalls(of: vfs)
    return sqlite3_vfs_register(vfs, 0) == SQLITE_OK
  }()

  private static func setCalls(of vfs: UnsafeMutablePointer<sqlite3_vfs>) {
    vfs.pointee.xOpen = { _, name, file, flags, outFlags in
      file.map { SimulatedVFS.open(name.map { String(cString: $0) }, $0, flags, outFlags) } ?? SQLITE_CANTOPEN
    }
    vfs.pointee.xDelete = { _, name, isSynced in
      guard let path = name.map({ String(cString: $0) }), let disk = SimulatedVFS.disk(of: path) else {
        return SQLITE_IOERR_DELETE
      }
      do {
        guard try disk.unlink(path) else { return SQLITE_IOERR_DELETE_NOENT }
        if isSynced != 0 { try SimulatedVFS.syncDirectory(of: path, on: disk) }
        return SQLITE_OK
      } catch {
        return SQLITE_IOERR_DELETE
      }
    }
    vfs.pointee.xAccess = { _, name, _, isThere in
      guard let path = name.map({ String(cString: $0) }), let disk = SimulatedVFS.disk(of: path) else {
        return SQLITE_IOERR_ACCESS
      }
      do {
        // As SQLite's own: an empty file counts as none.
        isThere?.pointee = try disk.identity(of: path).map { $0.byteCount > 0 ? 1 : 0 } ?? 0
        return SQLITE_OK
      } catch {
        return SQLITE_IOERR_ACCESS
      }
    }
    vfs.pointee.xFullPathname = { _, name, byteCount, target in
      guard let name, let target else { return SQLITE_CANTOPEN }
      guard strlen(name) < Int(byteCount) else { return SQLITE_CANTOPEN }
      strcpy(target, name)
      return SQLITE_OK
    }
    vfs.pointee.xRandomness = { _, byteCount, bytes in
      guard let bytes else { return 0 }
      for place in 0..<Int(byteCount) { bytes[place] = CChar(truncatingIfNeeded: place &* 37) }
      return byteCount
    }
    // Nobody else comes to unlock what is locked: who waits is told at once that the time is over.
    vfs.pointee.xSleep = { _, microseconds in microseconds }
    vfs.pointee.xCurrentTimeInt64 = { _, milliseconds in
      // The Julian day of 2026-01-01, in milliseconds.
      milliseconds?.pointee = 212_634_072_000_000
      return SQLITE_OK
    }
    vfs.pointee.xCurrentTime = { _, days in
      days?.pointee = 2_461_041.5
      return SQLITE_OK
    }
    vfs.pointee.xGetLastError = { _, _, _ in 0 }
  }

  static func syncDirectory(of path: String, on disk: SimulatedDisk) throws {
    let end = path.lastIndex(of: "/") ?? path.startIndex
    try disk.open(String(path[..<end]), .directory).sync()
  }

  private static func open(
    _ name: String?, _ target: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    // "The xOpen method must set the sqlite3_file.pMethods to NULL" where it fails.
    target.pointee.pMethods = nil
    guard let path = name, let disk = disk(of: path) else { return SQLITE_CANTOPEN }
    do {
      let isCreating = flags & SQLITE_OPEN_CREATE != 0
      let file = VFSFile(try disk.openFile(path, isCreating ? .updating : .reading))
      // SQLite's own does so with the first sync of a journal that it may have made.
      file.directoryIsUnsynced = isCreating && flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL) != 0
      file.isReadOnly = flags & SQLITE_OPEN_READONLY != 0
      file.isDeletedAtClose = flags & SQLITE_OPEN_DELETEONCLOSE != 0
      target.withMemoryRebound(to: OpenedFile.self, capacity: 1) { opened in
        opened.pointee = OpenedFile(
          base: sqlite3_file(pMethods: UnsafePointer(VFSFile.methods)), file: Unmanaged.passRetained(file))
      }
      outFlags?.pointee = flags
      return SQLITE_OK
    } catch {
      return SQLITE_CANTOPEN
    }
  }
}

/// SQLite allocates it for each file: its own part, and ours behind it.
struct OpenedFile {
  var base: sqlite3_file
  var file: Unmanaged<VFSFile>
}
