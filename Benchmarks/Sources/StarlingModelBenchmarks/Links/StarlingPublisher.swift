import Foundation
import Logging
import Measuring
import Starling
import StarlingEngine
import StarlingGraph
import StarlingZeroMQ

/// One property of 64 bytes.
@Replicated final class Line: Sendable {
  var value = Data()
}

/// What is said beside what is measured.
@Replicated final class Signals: Sendable {
  var hello = Data()
  var end = Data()
}

/// Starling between processes, as applications have it: each message is a property of a `@Replicated` model written,
/// one transaction each, in a replica in memory; who receives observes the models of the same names in a replica of its
/// own.
///
/// ```
/// straight:   publisher binds                    ◄── dials ── receivers
/// relayed:    publisher ── dials ──► a daemon    ◄── dials ── receivers
/// ```
final class StarlingPublisher: Publisher {
  /// The endpoint, and how many lines there are.
  let address: String
  private let replica: Replica
  private let relay: Child?
  private let lines: [Line]
  private let signals: Signals
  private var writeCount = 0

  init(_ route: Route, for purpose: Purpose) async throws {
    // Of values of one property that come together an observer sees the last alone; each latency is to be seen.
    let lineCount = purpose == .latency ? 64 : route.propertyCount
    relay = try route.isRelayed ? LinkPeer.startRelay(over: route.transport) : nil
    replica = try await Self.open(hasKeys: route.isEncrypted)
    var endpoint: String
    if let relay {
      guard let line = try relay.line(within: .seconds(20)) else { throw Child.Silence() }
      endpoint = line
      try await replica.engine.connect(to: endpoint)
    } else {
      endpoint = try await replica.engine.bind(route.transport.endpoint)
    }
    address = "\(endpoint) \(lineCount)"
    (lines, signals) = try Self.models(of: replica, lineCount: lineCount)
  }

  func write(_ message: Message) {
    writeCount += 1
    let value = message.withBytes { bytes in
      var value = Data(bytes)
      // No value is written twice: an observer would see no change.
      value.withUnsafeMutableBytes {
        $0.storeBytes(of: Int64(writeCount), toByteOffset: Heard.serialOffset, as: Int64.self)
      }
      return value
    }
    switch message.kind {
    case .hello: signals.hello = value
    case .end: signals.end = value
    case .write: lines[writeCount % lines.count].value = value
    }
  }

  func close() async throws {
    try await replica.close()
    relay?.end()
  }

  // MARK: In the other processes

  static func receive(from address: String, for purpose: Purpose, _ heard: @escaping Medium.Heard) async throws {
    let words = address.split(separator: " ")
    guard words.count == 2, let lineCount = Int(words[1]) else { throw LinkFailure("'\(address)' names no lines.") }
    let replica = try await open(hasKeys: words[0].contains("@"))
    let (lines, signals) = try models(of: replica, lineCount: lineCount)
    let state = Heard(lineCount: lineCount, countsEach: purpose == .latency, tell: heard)
    var observing = lines.indices.map { place in
      observe(isolation: nil) {
        let value = lines[place].value
        state.take(value, of: place)
      }
    }
    observing.append(observe(isolation: nil) { state.take(signals.hello) })
    observing.append(
      observe(isolation: nil) {
        let end = signals.end
        // Those that come together are observed in any order, and the end is the last.
        untracked {
          for place in lines.indices {
            let value = lines[place].value
            state.take(value, of: place)
          }
        }
        state.take(end)
      })
    // Only now: until here nothing comes, and the observers ran on this thread.
    try await replica.engine.connect(to: String(words[0]))
    while true { try await Task.sleep(for: .seconds(3600)) }
    withExtendedLifetime(observing) {}
  }

  /// What a daemon does, without a disk.
  ///
  /// - Parameter bound: called with the endpoint.
  static func relay(at endpoint: String, bound: (String) -> Void) async throws {
    let replica = try await open(hasKeys: false, isDaemon: true)
    bound(try await replica.engine.bind(endpoint))
    while true { try await Task.sleep(for: .seconds(3600)) }
  }

  // MARK: Both

  private static func models(of replica: Replica, lineCount: Int) throws -> ([Line], Signals) {
    (
      try (0..<lineCount).map { try replica.model(Line.self, named: "line-\($0)", isolation: nil) },
      try replica.model(Signals.self, named: "signals", isolation: nil)
    )
  }

  /// A replica that is found by nobody: all are told which endpoints to dial, as those of the other systems are.
  private static func open(hasKeys: Bool, isDaemon: Bool = false) async throws -> Replica {
    guard hasKeys else {
      var options = Replica.Options()
      options.joinsThisMachine = false
      options.isDaemon = isDaemon
      options.logger.logLevel = .warning
      return try await Replica.open("benchmark", options: options)
    }
    var configuration = EngineConfiguration()
    configuration.history = .stateOnly(byteCountMin: 8 << 20)
    configuration.allowlist = { name, _ in Trust(name: name, role: .writes, documents: [.everything]) }
    let security = ZeroMQLink.Security(keys: try KeyPair()) { _ in .everything }
    var logger = Logger(label: "starling")
    logger.logLevel = .warning
    return try await Replica.open(
      "benchmark", over: ZeroMQLink(security: security), configuration: configuration, logger: logger)
  }
}

/// What a receiver has observed, so that each write counts once.
private final class Heard: @unchecked Sendable {
  // Sendable: once the replica is connected, observers run on its link's thread alone, which merges what comes.
  static let serialOffset = 16

  private var serials: [Int64]
  /// The greatest number of a write since the last end.
  private var number: Int64 = 0
  /// Whether each value counts as one write. Otherwise the values say how many were written so far, those that were
  /// never seen included: an observer is told of the last of several that come together.
  private let countsEach: Bool
  private let tell: Medium.Heard

  init(lineCount: Int, countsEach: Bool, tell: @escaping Medium.Heard) {
    serials = Array(repeating: 0, count: lineCount)
    self.countsEach = countsEach
    self.tell = tell
  }

  /// A value of a line, or the same again.
  func take(_ value: Data, of place: Int) {
    guard let (message, serial) = Self.read(value), serial != serials[place] else { return }
    serials[place] = serial
    let count = countsEach ? 1 : max(0, Int(message.value - number))
    number = max(number, message.value)
    tell(message, count)
  }

  /// A hello or an end.
  func take(_ value: Data) {
    guard let (message, _) = Self.read(value) else { return }
    if message.kind == .end { number = 0 }
    tell(message, 1)
  }

  private static func read(_ value: Data) -> (Message, serial: Int64)? {
    value.withUnsafeBytes { bytes in
      Message(bytes: bytes).map { ($0, bytes.loadUnaligned(fromByteOffset: serialOffset, as: Int64.self)) }
    }
  }
}
