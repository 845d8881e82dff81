import Foundation
import Logging
import Measuring
import Starling
import StarlingEngine
import StarlingGraph
import StarlingZeroMQ
import Synchronization

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
/// between sites:
///   straight: publisher                          ── cluster ──                  receivers
///   relayed:  publisher ── dials ──► a daemon    ── cluster ── a daemon    ◄── dials ── receivers
/// ```
final class StarlingPublisher: Publisher {
  /// The endpoint, how many lines there are, and the group: routes over one cluster must not meet.
  let address: String
  private let replica: Replica
  private let relays: [Child]
  private let lines: [Line]
  private let signals: Signals
  private var writeCount = 0

  init(_ route: Route, for purpose: Purpose) async throws {
    // Of values of one property that come together an observer sees the last alone; each latency is to be seen.
    let lineCount = purpose == .latency ? 64 : route.propertyCount
    // Between sites there is one at each.
    let sites = route.servers.isEmpty ? [nil] : [route.servers.first, route.servers.last]
    relays = try (route.isRelayed ? sites : []).map { server in
      try LinkPeer.startRelay(of: route.name, at: route.transport.endpoint, in: server)
    }
    let endpoints = try relays.map { relay in
      guard let line = try relay.line(within: .seconds(20)) else { throw Child.Silence() }
      return line
    }
    let server = route.isRelayed ? nil : route.servers.first
    replica = try await Self.open(
      route.name, hasKeys: route.isEncrypted, isDaemon: server != nil, in: server)
    var endpoint: String
    if let first = endpoints.first, let last = endpoints.last {
      endpoint = last
      try await replica.engine.connect(to: first)
    } else if let last = route.servers.last {
      endpoint = last
    } else {
      endpoint = try await replica.engine.bind(route.transport.endpoint)
    }
    address = "\(endpoint) \(lineCount) \(route.name)"
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
    for relay in relays { relay.end() }
  }

  // MARK: In the other processes

  static func receive(from address: String, for purpose: Purpose, _ heard: @escaping Medium.Heard) async throws {
    let words = address.split(separator: " ")
    guard words.count == 3, let lineCount = Int(words[1]) else { throw LinkFailure("'\(address)' names no lines.") }
    let isInCluster = words[0].hasPrefix("nats:")
    let replica = try await open(
      String(words[2]), hasKeys: words[0].contains("@"), in: isInCluster ? String(words[0]) : nil)
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
    state.listen()
    // Only now: until here nothing comes, and the observers ran on this thread. In a cluster a hello may have come, which
    // is said again.
    if !isInCluster { try await replica.engine.connect(to: String(words[0])) }
    while true { try await Task.sleep(for: .seconds(3600)) }
    withExtendedLifetime(observing) {}
  }

  /// What a daemon does, without a disk.
  ///
  /// - Parameters:
  ///   - server: of the cluster that it is in, besides; nil for none.
  ///   - bound: called with the endpoint.
  static func relay(of group: String, at endpoint: String, in server: String?, bound: (String) -> Void) async throws {
    let replica = try await open(group, hasKeys: false, isDaemon: true, in: server)
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
  private static func open(
    _ group: String, hasKeys: Bool, isDaemon: Bool = false, in server: String? = nil
  ) async throws -> Replica {
    guard hasKeys else {
      var options = Replica.Options()
      options.joinsThisMachine = false
      options.isDaemon = isDaemon
      options.cluster = server.map { Replica.Options.Cluster(servers: [$0]) }
      options.logger.logLevel = .warning
      return try await Replica.open(group, options: options)
    }
    var configuration = EngineConfiguration()
    configuration.history = .stateOnly(byteCountMin: 8 << 20)
    configuration.allowlist = { name, _ in Trust(name: name, role: .writes, documents: [.everything]) }
    let security = ZeroMQLink.Security(keys: try KeyPair()) { _ in .everything }
    var logger = Logger(label: "starling")
    logger.logLevel = .warning
    return try await Replica.open(
      group, over: ZeroMQLink(security: security), configuration: configuration, logger: logger)
  }
}

/// What a receiver has observed, so that each write counts once.
private final class Heard: @unchecked Sendable {
  // Sendable: until `isListening` nothing is touched; from then on observers run on the link's thread alone, which merges
  // what comes.
  static let serialOffset = 16

  private var serials: [Int64]
  /// The greatest number of a write since the last end.
  private var number: Int64 = 0
  /// Whether each value counts as one write. Otherwise the values say how many were written so far, those that were
  /// never seen included: an observer is told of the last of several that come together.
  private let countsEach: Bool
  private let tell: Medium.Heard
  private let isListening = Atomic(false)

  init(lineCount: Int, countsEach: Bool, tell: @escaping Medium.Heard) {
    serials = Array(repeating: 0, count: lineCount)
    self.countsEach = countsEach
    self.tell = tell
  }

  /// All observers are there; what came before is not told.
  func listen() {
    isListening.store(true, ordering: .releasing)
  }

  /// A value of a line, or the same again.
  func take(_ value: Data, of place: Int) {
    guard isListening.load(ordering: .acquiring) else { return }
    guard let (message, serial) = Self.read(value), serial != serials[place] else { return }
    serials[place] = serial
    let count = countsEach ? 1 : max(0, Int(message.value - number))
    number = max(number, message.value)
    tell(message, count)
  }

  /// A hello or an end.
  func take(_ value: Data) {
    guard let (message, _) = Self.read(value) else { return }
    guard isListening.load(ordering: .acquiring) else { return }
    if message.kind == .end { number = 0 }
    tell(message, 1)
  }

  private static func read(_ value: Data) -> (Message, serial: Int64)? {
    value.withUnsafeBytes { bytes in
      Message(bytes: bytes).map { ($0, bytes.loadUnaligned(fromByteOffset: serialOffset, as: Int64.self)) }
    }
  }
}
