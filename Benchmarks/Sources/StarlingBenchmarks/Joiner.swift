import Measuring
import Foundation
import StarlingCore
import StarlingEngine
import StarlingZeroMQ

/// A process joins a large document from nothing while its publisher writes on at a steady rate: how far it is as it
/// comes, how long that takes, what both hold, and what the writers notice.
///
/// ```
/// this process ── writes ──► joiner        this very program, run again, by ipc
///
///   │ filled │   before   │ starts ─── progress ───► joined │   after   │ end: the digests are equal
/// ```
struct Joiner {
  static let flag = "--joiner"

  struct Options {
    var keyCount = 1_000_000
    var rate = 5000
    /// How long it is written before and after.
    var seconds = 10
  }

  private struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// What was noticed while one phase lasted.
  private struct Phase {
    let name: String
    var microseconds: [Double] = []
    /// The longest write during which nothing else took the processor from its thread.
    var undisturbedMax = 0.0
    var residentMax = 0
    var allocatedMax = 0
  }

  private let options: Options
  private let engine: ReplicaEngine
  private let document: DocumentHandle
  private let endpoint: String
  private var phases: [Phase] = []
  private var random = Random32(seed: 42)
  private var nextReading: UInt64 = 0

  init(_ options: Options) async throws {
    self.options = options
    var configuration = EngineConfiguration()
    configuration.history = .stateOnly(byteCountMin: 8 << 20)
    engine = ReplicaEngine(link: ZeroMQLink(), log: MemoryLog(), configuration: configuration)
    try await engine.start()
    endpoint = try await engine.bind(Transport.ipc.endpoint)
    document = try await engine.open(JoiningPeer.documentID)
  }

  /// - Returns: Whether both became equal.
  mutating func run() async throws -> Bool {
    try await fill()
    let (resident, allocated) = (Memory.resident, Memory.allocated)
    print(
      "\(options.keyCount) keys; the publisher holds \(Self.megabytes(allocated)) MB allocated, \(Self.megabytes(resident)) MB resident; "
        + "\(options.rate) writes/s from here on")
    play("before", for: options.seconds)
    let joiner = try Subscriber.Run("joiner", as: JoiningPeer.flag, endpoint: endpoint)
    defer { joiner.end() }
    print("      s   state MB     of MB      %   operations      known   joiner MB (allocated)")
    let begin = DispatchTime.now().uptimeNanoseconds
    var shownCount = 0
    play("joining") { now in
      let lines = joiner.lines
      for line in lines.dropFirst(shownCount) { Self.show(line) }
      shownCount = lines.count
      return now >= begin + 300_000_000_000 || lines.contains { $0.hasPrefix("joined") }
    }
    guard let joined = joiner.lines.first(where: { $0.hasPrefix("joined") }) else {
      throw Failure(description: "It did not join within 300 s.")
    }
    play("after", for: options.seconds)
    document.set(1, for: JoiningPeer.endKey)
    guard let digest = document.digestWithVersion()?.0 else { throw Failure(description: "No digest.") }
    let told = "end \(digest)"
    let stopped = DispatchTime.now().uptimeNanoseconds
    while !joiner.lines.contains(told), DispatchTime.now().uptimeNanoseconds < stopped + 60_000_000_000 {
      usleep(20_000)
    }
    let isEqual = joiner.lines.contains(told)
    report(joiner, joined: joined.split(separator: " ").compactMap { Int($0) }, allocated: allocated)
    print(isEqual ? "the digests are equal" : "NOT EQUAL a minute after the last write: \(joiner.lines.last ?? "")")
    try await engine.close()
    return isEqual
  }

  // MARK: Writing

  private mutating func fill() async throws {
    for start in stride(from: 0, to: options.keyCount, by: 1000) {
      document.write { document, patch in
        for number in start..<min(start + 1000, options.keyCount) {
          document.set(.integer(Int64(number)), for: .integer(Int64(number)), in: .root, patch: &patch)
        }
      }
      try await engine.waitForCapacity(in: JoiningPeer.documentID)
    }
    try await engine.flush(JoiningPeer.documentID, until: .durable)
  }

  private mutating func play(_ name: String, for seconds: Int) {
    let end = DispatchTime.now().uptimeNanoseconds + UInt64(seconds) * 1_000_000_000
    play(name) { now in now >= end }
  }

  /// Writes what is due by the clock until `isOver`, which is asked ten times a second.
  private mutating func play(_ name: String, isOver: (UInt64) -> Bool) {
    var phase = Phase(name: name)
    let start = DispatchTime.now().uptimeNanoseconds
    var written = 0
    while true {
      let now = DispatchTime.now().uptimeNanoseconds
      while Double(written) < Double(now - start) / 1e9 * Double(options.rate) {
        let key = Key.integer(Int64(random.next(below: options.keyCount)))
        let disturbances = Self.disturbanceCount
        let begin = DispatchTime.now().uptimeNanoseconds
        document.set(Int64(written), for: key)
        let microseconds = Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e3
        phase.microseconds.append(microseconds)
        if Self.disturbanceCount == disturbances { phase.undisturbedMax = max(phase.undisturbedMax, microseconds) }
        written += 1
      }
      if now >= nextReading {
        nextReading = now + 100_000_000
        phase.residentMax = max(phase.residentMax, Memory.resident)
        phase.allocatedMax = max(phase.allocatedMax, Memory.allocated)
        if isOver(now) { break }
      }
      usleep(1000)
    }
    phases.append(phase)
  }

  /// How often another thread was given the processor while this one could have gone on; to wait for a lock is no such
  /// case. Always 0 where the system does not tell.
  private static var disturbanceCount: Int {
    #if os(Linux)
      var usage = rusage()
      // RUSAGE_THREAD, which Swift's Glibc module leaves out.
      getrusage(1, &usage)
      return usage.ru_nivcsw
    #else
      return 0
    #endif
  }

  // MARK: Telling

  private static func show(_ line: String) {
    let numbers = line.split(separator: " ").dropFirst().compactMap { Int($0) }
    guard line.hasPrefix("progress"), numbers.count == 7 else { return }
    let percent = numbers[2] == 0 ? "-" : String(100 * numbers[1] / numbers[2])
    print(
      String(format: "%7.2f", Double(numbers[0]) / 1e3), Self.megabytes(numbers[1]), " ", Self.megabytes(numbers[2]),
      String(repeating: " ", count: max(0, 6 - percent.count)) + percent,
      String(format: "%12d%11d", numbers[3], numbers[4]), "  ", Self.megabytes(numbers[5]), Self.megabytes(numbers[6]))
    fflush(nil)
  }

  private func report(_ joiner: Subscriber.Run, joined: [Int], allocated: Int) {
    guard joined.count == 2 else { return }
    print("it had joined after \((Double(joined[0]) / 1e3).shortened) s")
    print("a write, microseconds:     p50      p99      max   of its own   publisher MB (allocated) at most")
    for phase in phases where !phase.microseconds.isEmpty {
      let sorted = phase.microseconds.sorted()
      let last = sorted.count - 1
      print(
        "    " + phase.name.padding(toLength: 16, withPad: " ", startingAt: 0)
          + String(
            format: "%10.1f%9.1f%9.0f%13.0f   ", sorted[last / 2], sorted[last * 99 / 100], sorted[last],
            phase.undisturbedMax),
        Self.megabytes(phase.residentMax), Self.megabytes(phase.allocatedMax))
    }
    let during = phases.map(\.allocatedMax).max() ?? 0
    func times(_ part: Int) -> String { String(format: "%.2f", Double(part) / Double(max(1, allocated))) }
    let peak = Memory.residentPeak(of: joiner.processID)
    print(
      "of what the publisher had allocated before: the joiner held \(times(joined[1])) (\(Self.megabytes(joined[1])) MB) "
        + "at most until it had joined, \(times(peak)) (\(Self.megabytes(peak)) MB) until the end; the publisher's "
        + "allocations grew to \(times(during))")
  }

  private static func megabytes(_ byteCount: Int) -> String { String(format: "%8.1f", Double(byteCount) / 1e6) }
}
