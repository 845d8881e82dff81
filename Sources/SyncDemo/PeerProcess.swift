import Foundation

/// One peer as an operating-system process, seen from the conductor.
actor PeerProcess {
  nonisolated let name: String
  nonisolated let arguments: [String]
  private let program: URL
  /// Whether it says what it sees.
  private let isWatched: Bool
  private let onReport: @Sendable (String, PeerReport) async -> Void
  private var process: Process?
  private var input: FileHandle?
  private var pendingDone: [CheckedContinuation<Void, any Error>] = []
  private var pendingReady: CheckedContinuation<Void, any Error>?
  /// It ends by itself, which is no failure.
  private var isFinishing = false
  private var pendingEnd: CheckedContinuation<Void, Never>?
  private var pendingStanding: [CheckedContinuation<Standing, any Error>] = []

  /// How it stood when it last said so.
  private(set) var standing = Standing()
  /// The standings of earlier processes of this peer, which were killed.
  private(set) var pastStandings: [Standing] = []

  init(
    name: String, program: URL, isWatched: Bool, arguments: [String],
    onReport: @escaping @Sendable (String, PeerReport) async -> Void
  ) {
    self.name = name
    self.program = program
    self.isWatched = isWatched
    self.arguments = arguments
    self.onReport = onReport
  }

  /// Starts the process and waits until its library is open.
  func start() async throws {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.standardError
    try process.run()
    self.process = process
    self.input = input.fileHandleForWriting
    let reading = output.fileHandleForReading
    Thread.detachNewThread { [weak self] in
      var rest = Data()
      while true {
        let data = reading.availableData
        if data.isEmpty { break }
        rest.append(data)
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
          let line = rest[rest.startIndex..<end]
          rest = Data(rest[rest.index(after: end)...])
          guard let report = try? PeerLine.decode(PeerReport.self, from: line) else { continue }
          let arrived = DispatchSemaphore(value: 0)
          Task { [weak self] in
            await self?.receive(report)
            arrived.signal()
          }
          arrived.wait()
        }
      }
      Task { [weak self] in await self?.ended(process) }
    }
    try await withCheckedThrowingContinuation { pendingReady = $0 }
    if isWatched { try await perform(.watch) }
  }

  var isRunning: Bool { process != nil }

  var processIdentifier: Int32 { process?.processIdentifier ?? 0 }

  func send(_ command: PeerCommand) throws {
    guard let input else { throw DemoError("\(name) is not running.") }
    try input.write(contentsOf: PeerLine.encode(command))
  }

  /// Sends a command and waits until it is carried out.
  func perform(_ command: PeerCommand) async throws {
    try send(command)
    try await withCheckedThrowingContinuation { pendingDone.append($0) }
  }

  /// Asks how it stands now.
  func report() async throws -> Standing {
    try send(.report)
    return try await withCheckedThrowingContinuation { pendingStanding.append($0) }
  }

  /// Kills it with SIGKILL, so that it has no chance to say or save anything.
  func kill() async {
    guard let process, pendingEnd == nil else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    // What it had said before counts: it is read to its end.
    await withCheckedContinuation { pendingEnd = $0 }
    pastStandings.append(standing)
    standing = Standing()
    self.process = nil
    input = nil
    fail(DemoError("\(name) was killed."))
  }

  /// Lets it report, close and exit.
  func finish() async throws -> Standing {
    isFinishing = true
    try await perform(.finish)
    process?.waitUntilExit()
    process = nil
    return standing
  }

  /// The reader waits for each report to be told and taken before it reads the next, so the story keeps its order.
  private func receive(_ report: PeerReport) async {
    switch report {
    case .standing(let standing): await onReport(name, .standing(standing.counting(pastStandings)))
    case .sees(let sight): await onReport(name, .sees(sight.counting(pastStandings)))
    default: await onReport(name, report)
    }
    switch report {
    case .ready:
      pendingReady?.resume()
      pendingReady = nil
    case .standing(let standing):
      self.standing = standing
      for continuation in pendingStanding { continuation.resume(returning: standing) }
      pendingStanding = []
    case .done:
      if !pendingDone.isEmpty { pendingDone.removeFirst().resume() }
    case .failed(let message): fail(DemoError("\(name): \(message)"))
    case .woke, .conflict, .reads, .sees: break
    }
  }

  private func ended(_ process: Process) async {
    guard process === self.process, !isFinishing else { return }
    process.waitUntilExit()
    if let pendingEnd {
      self.pendingEnd = nil
      return pendingEnd.resume()
    }
    // Not by us: somebody else killed it, or it failed.
    pastStandings.append(standing)
    standing = Standing()
    self.process = nil
    input = nil
    let error = DemoError("\(name) ended with status \(process.terminationStatus).")
    fail(error)
    await onReport(name, .failed(error.description))
  }

  private func fail(_ error: DemoError) {
    pendingReady?.resume(throwing: error)
    pendingReady = nil
    for continuation in pendingDone { continuation.resume(throwing: error) }
    pendingDone = []
    for continuation in pendingStanding { continuation.resume(throwing: error) }
    pendingStanding = []
  }
}

/// Why the demonstration cannot go on.
struct DemoError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
