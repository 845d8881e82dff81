import Foundation
import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingWire
import Testing

/// Another process that writes what the test has it write: it runs the same test, at the same time.
///
/// A closure cannot be sent to another process, but a process that runs the same test comes to the same closure.
///
///     this process                                the other
///     the test, up to a write                     the same test, up to the same write
///     ─ what was written here so far ───────────▶ merged at a replica of its own, which then makes the write
///     merged here ◀────────────────────────────── what that wrote; merged there as well, since the test goes on
///     the test, up to the next write              the same
///
/// The clocks of a test are counted and not read, so both come to the same names for the same objects.
final class OtherProcess: Sendable {
  private static let mark = "STARLING_WRITES_FOR_ANOTHER"

  /// Whether this process was begun in order to write for another.
  static let isHere = ProcessInfo.processInfo.environment[mark] != nil

  #if os(Linux)
    static let offered: [Writer] = [.anotherProcess]
  #else
    // Elsewhere tests are not a program that can be begun once more.
    static let offered: [Writer] = []
  #endif

  private struct State {
    var line: FileHandle?
    /// What the other was not told yet.
    var untold: [Change] = []
    /// In the other process: the replica that writes.
    var writer = Pair.Replica(3)
  }

  private let state = Guarded(State())

  struct Lost: Error {
    let reason: String
  }

  func hear(of changes: [Change]) {
    state.withLock { $0.untold += changes }
  }

  /// Has the other process write; where this is the other one, writes, and tells the first.
  ///
  /// - Returns: What was written.
  func write(_ change: (Pair.Replica) throws -> Void) async throws -> [Change] {
    // The test is the one that writes, and waits for each write: the state is never taken by two.
    if Self.isHere { return try await writeForAnother(change) }
    let line = try state.withLock { $0.line } ?? begin()
    let untold = state.withLock { state in
      defer { state.untold = [] }
      return state.untold
    }
    try line.send(Batch.encode(untold))
    return try await onThread { try Batch.decode(line.receive()) }
  }

  private func writeForAnother(_ change: (Pair.Replica) throws -> Void) async throws -> [Change] {
    let writer = state.withLock { $0.writer }
    let line = FileHandle.standardInput
    writer.handle.merge(try await onThread { try Batch.decode(line.receive()) })
    try change(writer)
    let changes = writer.handle.takeOutbox()
    try line.send(Batch.encode(changes))
    return changes
  }

  /// Begins this program once more, for the test that runs here.
  private func begin() throws -> FileHandle {
    guard let test = Test.current else { throw Lost(reason: "no test runs here") }
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw Lost(reason: "no socket pair") }
    let (line, theirs) = (
      FileHandle(fileDescriptor: ends[0], closeOnDealloc: true), FileHandle(fileDescriptor: ends[1])
    )
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    let place = test.sourceLocation
    let name = NSRegularExpression.escapedPattern(for: "/\(place.fileName):\(place.line):\(place.column)")
    process.arguments = ["--testing-library", "swift-testing", "--filter", name]
    process.environment = ProcessInfo.processInfo.environment.merging([Self.mark: "1"]) { $1 }
    process.standardInput = theirs
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    try theirs.close()
    state.withLock { $0.line = line }
    return line
  }
}

/// Runs `body` on a thread of its own: those that run the tests are few, and none is held up by what it waits for.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
  }
}

/// Messages on a stream: the length in four bytes, then as many.
extension FileHandle {
  fileprivate func send(_ bytes: [UInt8]) throws {
    let length = withUnsafeBytes(of: UInt32(bytes.count).bigEndian) { Data($0) }
    try write(contentsOf: length + bytes)
  }

  fileprivate func receive() throws -> [UInt8] {
    let length = try exactly(4).reduce(0) { $0 << 8 | Int($1) }
    return try exactly(length)
  }

  private func exactly(_ count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      guard let portion = try read(upToCount: count - bytes.count), !portion.isEmpty else {
        throw OtherProcess.Lost(reason: "the other process ended before it wrote")
      }
      bytes += portion
    }
    return bytes
  }
}
