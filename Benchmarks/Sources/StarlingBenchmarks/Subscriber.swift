import Measuring
import Foundation
import StarlingCore
import StarlingEngine
import StarlingZeroMQ

/// The other processes of `FrozenSubscriber`: each follows one document, and tells line by line what it saw.
///
/// ```
/// ready                                  it heard the first write
/// phase 1 COUNT P50 P99 MAX              microseconds, of the writes seen while the phase lasted
/// mark SENT SEEN                         readings of the machine's clock
/// end DIGEST                             what it holds after the last write
/// ```
enum Subscriber {
  static let flag = "--subscriber"
  static let keyCount = 1000
  static let helloKey: Key = "hello"
  static let phaseKey: Key = "phase"
  static let markKey: Key = "mark"
  static let endKey: Key = "end"
  static let phases = ["before", "frozen", "after"]
  static let documentID = DocumentID("frozen-subscriber")!

  struct Figures {
    var phase: String
    var count: Int
    var median: Double
    var p99: Double
    var greatest: Double
  }

  // MARK: In the parent

  struct Run {
    private let process = Process()
    private let output: URL

    /// - Parameter flag: says what the program is to be.
    init(_ name: String, as flag: String = Subscriber.flag, endpoint: String) throws {
      output = FileManager.default.temporaryDirectory.appending(path: "starling-\(name)-\(getpid())")
      try Data().write(to: output)
      process.executableURL = URL(filePath: CommandLine.arguments[0])
      process.arguments = [flag, endpoint]
      process.standardOutput = try FileHandle(forWritingTo: output)
      try process.run()
    }

    var processID: pid_t { process.processIdentifier }

    /// What it told so far.
    var lines: [String] {
      ((try? String(contentsOf: output, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    var figures: [Figures] {
      lines.compactMap { line in
        let words = line.split(separator: " ")
        guard words.count == 6, words[0] == "phase", let phase = Int(words[1]), let count = Int(words[2]) else {
          return nil
        }
        let numbers = words[3...].compactMap { Double($0) }
        return Figures(
          phase: Subscriber.phases[phase - 1], count: count, median: numbers[0], p99: numbers[1], greatest: numbers[2])
      }
    }

    var marks: [(sent: UInt64, seen: UInt64)] {
      lines.compactMap { line in
        let words = line.split(separator: " ")
        guard words.count == 3, words[0] == "mark", let sent = UInt64(words[1]), let seen = UInt64(words[2]) else {
          return nil
        }
        return (sent, seen)
      }
    }

    func end() {
      // One that is stopped hears nothing else.
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      try? FileManager.default.removeItem(at: output)
    }
  }

  // MARK: In the other process

  static func run(_ arguments: ArraySlice<String>) async {
    guard let endpoint = arguments.first else { exit(64) }
    do {
      var configuration = EngineConfiguration()
      configuration.history = .stateOnly(byteCountMin: 8 << 20)
      let engine = ReplicaEngine(link: ZeroMQLink(), log: MemoryLog(), configuration: configuration)
      try await engine.start()
      try await engine.connect(to: endpoint)
      let document = try await engine.open(documentID)
      let watch = Watch()
      document.onPatch { watch.see($0) }
      // Whoever started it may be gone without a word.
      let parent = getppid()
      Task.detached {
        while getppid() == parent { try await Task.sleep(for: .seconds(1)) }
        exit(1)
      }
      for await _ in watch.end.stream {}
      // What came in one batch with the last write has merged by now.
      while true {
        if let (digest, _) = document.digestWithVersion() { watch.tell("end \(digest)") }
        try await Task.sleep(for: .seconds(1))
      }
    } catch {
      Report.say("\(error)")
      exit(1)
    }
  }

  /// Sees every patch in order, on one thread.
  private final class Watch: @unchecked Sendable {
    // Sendable: `see` is called on the link's thread alone, and `tell` elsewhere only after the last patch.
    /// Microseconds, by phase. Space is reserved before they come, and they are sorted at the end: either would be a
    /// pause that the next phase is blamed for.
    private var latencies: [[Double]] = Subscriber.phases.map { _ in
      var latencies: [Double] = []
      latencies.reserveCapacity(2_000_000)
      return latencies
    }
    private var phase: Int64 = 0
    private var isReady = false
    let end = AsyncStream<Void>.makeStream()

    func see(_ patch: Patch) {
      let now = DispatchTime.now().uptimeNanoseconds
      for entry in patch.entries {
        guard case .value(.integer(let value), _) = entry.to else { continue }
        switch entry.key {
        case Subscriber.helloKey:
          if !isReady { tell("ready") }
          isReady = true
        case Subscriber.phaseKey: phase = value
        case Subscriber.markKey: tell("mark \(value) \(now)")
        case Subscriber.endKey:
          tellLatencies()
          end.continuation.finish()
        default:
          if phase > 0, now > UInt64(value) { latencies[Int(phase) - 1].append(Double(now - UInt64(value)) / 1e3) }
        }
      }
    }

    private func tellLatencies() {
      for (place, latencies) in latencies.enumerated() where !latencies.isEmpty {
        let sorted = latencies.sorted()
        let last = sorted.count - 1
        tell("phase \(place + 1) \(sorted.count) \(sorted[last / 2]) \(sorted[last * 99 / 100]) \(sorted[last])")
      }
    }

    func tell(_ line: String) {
      FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
  }
}
