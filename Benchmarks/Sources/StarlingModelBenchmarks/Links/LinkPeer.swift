import Measuring
import Foundation

/// The other processes of a route: this very program, run again. Each ends when its standard input does.
///
/// ```
/// parent ── hello, hello, ... ──► receiver
/// parent ◄─ "ready"
/// parent ── write, write, ..., end, end, ... ──► receiver      a round; again and again
/// parent ◄─ of latencies: how many microseconds each write was under way
///           of a rate: how many writes it heard, and the clock's reading at the end of them
///           of a cost: how many writes it heard, the nanoseconds that it computed, and how often it was told of writes
/// ```
enum LinkPeer {
  static let flag = "--link-peer"

  // MARK: In the parent

  static func startReceiver(of medium: Medium, at address: String, for purpose: Purpose) throws -> Child {
    try Child(CommandLine.arguments[0], [flag, medium.rawValue, purpose.rawValue, address])
  }

  /// Its first line is the endpoint it listens at.
  static func startRelay(of group: String, at endpoint: String, in server: String? = nil) throws -> Child {
    try Child(CommandLine.arguments[0], [flag, "relay", group, endpoint] + (server.map { [$0] } ?? []))
  }

  // MARK: In the other process

  static func run(_ arguments: ArraySlice<String>) async {
    endWithInput()
    let words = Array(arguments)
    do {
      if 3...4 ~= words.count, words[0] == "relay" {
        try await StarlingPublisher.relay(
          of: words[1], at: words[2], in: words.count == 4 ? words[3] : nil, bound: tell)
      } else if words.count == 3, let medium = Medium(rawValue: words[0]), let purpose = Purpose(rawValue: words[1]) {
        let listener = Listener(purpose)
        try await medium.receive(from: words[2], for: purpose) { listener.heard($0, $1) }
      } else {
        exit(64)
      }
    } catch {
      Report.say("\(error)")
      exit(1)
    }
  }

  /// At once, whatever else goes on: there is nothing to save.
  private static func endWithInput() {
    Thread.detachNewThread {
      while !FileHandle.standardInput.availableData.isEmpty {}
      _exit(0)
    }
  }

  private static func tell(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Hears every message in order, on one thread.
  private final class Listener: @unchecked Sendable {
    // Sendable: all of it is touched by `heard` alone, which is called on one thread.
    private let purpose: Purpose
    private var isReady = false
    private var round: Int64 = 0
    private var writeCount = 0
    private var runCount = 0
    private var computed = Sampling.processTime
    private var latencies: [Double] = []

    init(_ purpose: Purpose) {
      self.purpose = purpose
      latencies.reserveCapacity(10_000)
    }

    func heard(_ message: Message, _ count: Int) {
      switch message.kind {
      case .write:
        writeCount += count
        runCount += 1
        if purpose == .latency { latencies.append(Double(Clock.now - message.value) / 1e3) }
      case .hello:
        if !isReady { tell("ready") }
        isReady = true
      case .end where message.value > round:
        let now = Clock.now
        round = message.value
        switch purpose {
        case .latency: tell(latencies.map { String($0) }.joined(separator: " "))
        case .rate: tell("\(writeCount) \(now)")
        case .cost:
          let all = Sampling.processTime
          tell("\(writeCount) \(Unit.nanoseconds.value(of: all - computed)) \(runCount)")
          computed = all
        }
        (writeCount, runCount) = (0, 0)
        latencies.removeAll(keepingCapacity: true)
      case .end: break
      }
    }
  }
}

/// The machine's clock, which all its processes read alike: nanoseconds since it started.
enum Clock {
  @inline(__always)
  static var now: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }
}
