import Foundation
import StarlingCore
import StarlingEngine
import StarlingZeroMQ

/// The other process of a benchmark over a link: this very program, run again.
///
/// ```
/// parent ── hello, hello, ... ──► peer
/// parent ◄─ "ready" on its standard output
/// parent ── clock, clock, ..., end ──► peer
/// parent ◄─ one figure a line, then the end of the output
/// ```
enum LinkPeer {
  static let flag = "--link-peer"
  static let key: Key = "clock"

  enum Kind: String {
    /// Prints how many microseconds each value of `key`, a reading of the clock, was under way.
    case latency
    /// The same with a bare socket.
    case rawLatency
    /// Prints when the last write was held.
    case rate
  }

  struct Silence: Error, CustomStringConvertible {
    let description = "The benchmark's other process ended before it had told everything."
  }

  // MARK: In the parent

  struct Run {
    private let process = Process()
    private let output = Pipe()

    init(_ kind: Kind, endpoint: String) throws {
      process.executableURL = URL(filePath: CommandLine.arguments[0])
      process.arguments = [LinkPeer.flag, kind.rawValue, endpoint]
      process.standardOutput = output
      try process.run()
    }

    /// Says hello until the peer has heard it.
    func meet(_ hello: (Int64) -> Void) async throws {
      let handle = output.fileHandleForReading
      let heard = Task.detached { handle.availableData.isEmpty == false }
      let listening = Listening(heard)
      for number in 1...2000 {
        hello(Int64(number))
        usleep(5000)
        if listening.isOver { break }
      }
      guard await heard.value else { throw Silence() }
    }

    /// All that the peer printed since, when it has ended.
    func figures() async throws -> [Double] {
      let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw Silence() }
      return text.split(separator: "\n").compactMap { Double($0) }
    }
  }

  /// Whether a task has ended, asked without waiting for it.
  private final class Listening: Sendable {
    private let ended = DispatchGroup()

    init(_ task: Task<Bool, Never>) {
      ended.enter()
      Task.detached { [ended] in
        _ = await task.value
        ended.leave()
      }
    }

    var isOver: Bool { ended.wait(timeout: .now()) == .success }
  }

  // MARK: In the other process

  static func run(_ arguments: ArraySlice<String>) async {
    guard let kind = arguments.first.flatMap(Kind.init), let endpoint = arguments.dropFirst().first else { exit(64) }
    do {
      let listener = Listener(kind)
      if kind == .rawLatency {
        try RawSocket.receive(from: endpoint) { listener.heard($0, $1) }
      } else {
        let engine = ReplicaEngine(link: ZeroMQLink(), log: MemoryLog())
        try await engine.start()
        try await engine.connect(to: endpoint)
        guard let id = EngineHost.documentID else { exit(64) }
        let document = try await engine.open(id)
        document.onPatch { patch in
          for entry in patch.entries {
            if case .value(.integer(let value), _) = entry.to { _ = listener.heard(entry.key, value) }
          }
        }
        await listener.untilEnd()
        try await engine.close()
      }
      listener.tell()
    } catch {
      Report.say("\(error)")
      exit(1)
    }
  }

  /// Hears every value in order, on one thread.
  private final class Listener: @unchecked Sendable {
    // Sendable: `heard` is called on one thread; `tell` after the last call, which opened `end`.
    private let kind: Kind
    private var figures: [Double] = []
    private var isReady = false
    private let end = AsyncStream<Void>.makeStream()

    init(_ kind: Kind) {
      self.kind = kind
      figures.reserveCapacity(10_000)
    }

    /// - Returns: Whether more is to come.
    func heard(_ key: Key, _ value: Int64) -> Bool {
      let now = DispatchTime.now().uptimeNanoseconds
      switch key {
      case LinkPeer.key where kind == .rate: break
      case LinkPeer.key: figures.append(Double(Int64(now) - value) / 1e3)
      case "end":
        if kind == .rate { figures.append(Double(now)) }
        end.continuation.finish()
        return false
      default:
        if !isReady { FileHandle.standardOutput.write(Data("ready\n".utf8)) }
        isReady = true
      }
      return true
    }

    func untilEnd() async {
      for await _ in end.stream {}
    }

    func tell() {
      FileHandle.standardOutput.write(Data(figures.map { "\($0)\n" }.joined().utf8))
    }
  }
}
