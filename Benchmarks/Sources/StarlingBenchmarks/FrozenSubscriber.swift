import Measuring
import Foundation
import StarlingCore
import StarlingEngine
import StarlingZeroMQ

/// One subscriber is stopped (SIGSTOP) while a publisher writes on at a steady rate: what the others notice of it, what
/// it costs the publisher, and how long the stopped one takes to catch up.
///
/// ```
/// this process ── writes ──► healthy, healthy, ..., frozen        this very program, run again, by ipc
///
///   │   before   │ SIGSTOP        frozen        SIGCONT │ after   │ end: all digests are equal
/// ```
struct FrozenSubscriber {
  static let flag = "--frozen-subscriber"

  struct Options {
    /// How long it is frozen; before and after last a third of that.
    var seconds = 60
    var rate = 20_000
    var healthyCount = 2
    /// Whether the publisher's log keeps every change, or the state alone.
    var keepsEverything = false
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let options: Options
  private let engine: ReplicaEngine
  private let document: DocumentHandle
  private let healthy: [Subscriber.Run]
  private let frozen: Subscriber.Run
  private let begin = DispatchTime.now().uptimeNanoseconds
  private var writeCount = 0
  private var nextReading = 0
  private var nextMark: UInt64 = 0

  init(_ options: Options) async throws {
    self.options = options
    var configuration = EngineConfiguration()
    configuration.history = options.keepsEverything ? .everything : .stateOnly(byteCountMin: 8 << 20)
    engine = ReplicaEngine(link: ZeroMQLink(), log: MemoryLog(), configuration: configuration)
    try await engine.start()
    let endpoint = try await engine.bind(Transport.ipc.endpoint)
    document = try await engine.open(Subscriber.documentID)
    healthy = try (1...options.healthyCount).map { try Subscriber.Run("healthy-\($0)", endpoint: endpoint) }
    frozen = try Subscriber.Run("frozen", endpoint: endpoint)
  }

  /// - Returns: Whether all became equal.
  mutating func run() async throws -> Bool {
    print(
      "\(options.rate) writes/s to \(Subscriber.keyCount) keys, \(options.healthyCount) healthy subscribers, one frozen for "
        + "\(options.seconds) s; the publisher's log keeps \(options.keepsEverything ? "everything" : "the state alone")"
    )
    print("    s  phase    publisher MB (allocated)   frozen MB   healthy MB")
    let everybody = healthy + [frozen]
    defer { for subscriber in everybody { subscriber.end() } }
    // Again and again: who is about to watch does not see what came just before.
    var hello: Int64 = 0
    let haveCome = wait(atMost: 20) {
      hello += 1
      document.set(hello, for: Subscriber.helloKey)
      return everybody.allSatisfy { $0.lines.contains("ready") }
    }
    guard haveCome else { throw Failure(description: "The subscribers did not come within 20 s.") }
    let margin = max(1, options.seconds / 3)
    play("before", for: margin)
    kill(frozen.processID, SIGSTOP)
    play("frozen", for: options.seconds)
    kill(frozen.processID, SIGCONT)
    let thaw = DispatchTime.now().uptimeNanoseconds
    play("after", for: margin)
    document.set(0, for: Subscriber.phaseKey)
    document.set(1, for: Subscriber.endKey)
    guard let digest = document.digestWithVersion()?.0 else { throw Failure(description: "No digest.") }
    let told = "end \(digest)"
    let isEqual = wait(atMost: 60) { everybody.allSatisfy { $0.lines.contains(told) } }
    let end = DispatchTime.now().uptimeNanoseconds
    try await report(thaw: thaw)
    print(
      isEqual
        ? "all digests equal \(((Double(end) - Double(thaw)) / 1e9 - Double(margin)).shortened) s after the last write"
        : "NOT EQUAL a minute after the last write: \(everybody.map { $0.lines.last ?? "" }), here \(told)")
    try await engine.close()
    return isEqual
  }

  // MARK: Writing

  private mutating func play(_ phase: String, for seconds: Int) {
    document.set(Int64(Subscriber.phases.firstIndex(of: phase)! + 1), for: Subscriber.phaseKey)
    let start = DispatchTime.now().uptimeNanoseconds
    var written = 0
    while true {
      let now = DispatchTime.now().uptimeNanoseconds
      let elapsed = Double(now - start) / 1e9
      guard elapsed < Double(seconds) else { break }
      // What is due by the clock, so that a pause is made up for.
      while Double(written) < elapsed * Double(options.rate) {
        document.set(
          Int64(DispatchTime.now().uptimeNanoseconds), for: .integer(Int64(writeCount % Subscriber.keyCount)))
        written += 1
        writeCount += 1
      }
      if now >= nextMark {
        nextMark = now + 20_000_000
        document.set(Int64(now), for: Subscriber.markKey)
      }
      readMemory(phase)
      usleep(1000)
    }
  }

  private mutating func readMemory(_ phase: String) {
    let second = Int((DispatchTime.now().uptimeNanoseconds - begin) / 1_000_000_000)
    guard second >= nextReading else { return }
    nextReading = second + 5
    func megabytes(_ byteCount: Int) -> String { String(format: "%8.1f", Double(byteCount) / 1e6) }
    let others = healthy.map { megabytes(Memory.resident(of: $0.processID)) }.joined()
    print(
      String(format: "%5d", second), "", phase.padding(toLength: 7, withPad: " ", startingAt: 0),
      megabytes(Memory.resident), "     ", megabytes(Memory.allocated), "     ",
      megabytes(Memory.resident(of: frozen.processID)), "  ", others)
    fflush(nil)
  }

  private func wait(atMost seconds: Int, until condition: () -> Bool) -> Bool {
    for _ in 0..<(seconds * 50) {
      if condition() { return true }
      usleep(20_000)
    }
    return condition()
  }

  // MARK: Telling

  private func report(thaw: UInt64) async throws {
    print("latency of a healthy subscriber, write to patch, microseconds:   p50      p99      max   writes seen")
    for (number, subscriber) in healthy.enumerated() {
      for figure in subscriber.figures {
        print(
          "    healthy-\(number + 1)  \(figure.phase.padding(toLength: 40, withPad: " ", startingAt: 0))"
            + String(format: "%9.0f%9.0f%9.0f%14d", figure.median, figure.p99, figure.greatest, figure.count))
      }
    }
    let marks = frozen.marks.filter { $0.sent >= thaw }
    func after(_ moment: UInt64?) -> String { moment.map { "\((Double($0 - thaw) / 1e9).shortened) s" } ?? "NOT" }
    print("the frozen one held what was written before it was thawed \(after(marks.first?.seen)) after that,")
    print("and was less than 100 ms behind \(after(marks.first { $0.seen - $0.sent < 100_000_000 }?.seen)) after it")
    let counters = await engine.status().counters
    print(
      "the publisher answered \(counters.answers) wants, sent \(counters.snapshotsSent) states, "
        + "and found \(counters.undelivered) frames undelivered; \(writeCount) writes in \(counters.framesPublished) frames"
    )
  }
}

extension DocumentHandle {
  func set(_ value: Int64, for key: Key) {
    write { document, patch in document.set(.integer(value), for: key, in: .root, patch: &patch) }
  }
}
