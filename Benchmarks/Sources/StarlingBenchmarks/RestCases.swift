import Foundation
import Logging
import Measuring
import StarlingCore
import StarlingEngine
import StarlingReplica

extension Case {
  /// What a daemon computes in a second while its group has many documents and many peers, and nobody writes.
  static let rest: [Case] = [
    Case("rest", "rest-peer") { try await Rest().run() }
  ]
}

/// A daemon in a process of its own, and peers in this one.
///
/// ```
///   daemon: all documents ──┬── peer 1: its share of them
///                           ├── peer 2
///                           └── … each document is followed by a tenth of the peers
/// ```
struct Rest {
  static let documentCount = Scale.count(10_000)
  static let peerCount = Scale.count(100)
  /// How many documents each peer follows; `STARLING_REST_FOLLOWED` for another number.
  private static let followedCount =
    ProcessInfo.processInfo.environment["STARLING_REST_FOLLOWED"].flatMap { Int($0) } ?? documentCount / 10
  private static let secondCount = Scale.isQuick ? 2 : 60
  /// How long it may take until the daemon computes no more than in the seconds before.
  private static let settlingMax = 600

  func run() async throws -> [Figure] {
    let daemon = try Child(CommandLine.arguments[0], [RestingDaemon.flag, Transport.ipc.endpoint])
    defer { daemon.end() }
    guard let ready = try daemon.line(within: .seconds(300)), let endpoint = ready.split(separator: " ").last else {
      throw LinkFailure("The daemon did not start.")
    }
    let (peers, documents) = try await openPeers(String(endpoint))
    try settle(daemon, documents)
    let computed = Sampling.processTime
    var seconds: [Double] = []
    for _ in 0..<Self.secondCount { seconds.append(try second(of: daemon).microseconds) }
    let own = Unit.microseconds.value(of: Sampling.processTime - computed) / Double(Self.secondCount * Self.peerCount)
    for peer in peers { try await peer.close() }
    withExtendedLifetime(documents) {}
    return [
      Figure(
        "rest", .microseconds, Sample([seconds.reduce(0, +) / Double(seconds.count)]),
        notes: [
          "computed in a second by a daemon of \(Self.documentCount) documents and \(Self.peerCount) peers, each with "
            + "\(Self.followedCount) of them; single seconds \(Sample(seconds).least.shortened) to \(Sample(seconds).greatest.shortened)"
        ]),
      Figure("rest-peer", .microseconds, Sample([own]), notes: ["by each of the peers"]),
    ]
  }

  private func openPeers(_ endpoint: String) async throws -> ([BareReplica], [DocumentHandle]) {
    var (peers, documents): ([BareReplica], [DocumentHandle]) = ([], [])
    for number in 0..<Self.peerCount {
      let peer = try await BareReplica.open("benchmarks", options: RestingDaemon.options(isDaemon: false))
      try await peer.engine.connect(to: endpoint)
      for step in 0..<Self.followedCount {
        guard let id = RestingDaemon.document((number * Self.followedCount + step) % Self.documentCount) else {
          continue
        }
        documents.append(try await peer.engine.open(id))
      }
      peers.append(peer)
    }
    return (peers, documents)
  }

  /// Until every peer is there, every document has arrived, and ten seconds in a row cost about the same.
  private func settle(_ daemon: Child, _ documents: [DocumentHandle]) throws {
    var latest: [Double] = []
    var awaited = documents[...]
    for _ in 0..<Self.settlingMax {
      let (peerCount, microseconds) = try second(of: daemon)
      latest = latest.suffix(9) + [microseconds]
      if Scale.isQuick, peerCount >= Self.peerCount { return }
      awaited = awaited.drop { !$0.version.isEmpty }
      if peerCount < Self.peerCount || !awaited.isEmpty { latest = [] }
      guard latest.count == 10, let least = latest.min(), let most = latest.max() else { continue }
      if most < 2 * least + 20_000 { return }
    }
    throw LinkFailure(
      "The daemon did not come to rest within \(Self.settlingMax) s; it computes \(latest) us a second, and "
        + "\(awaited.count { $0.version.isEmpty }) of \(documents.count) documents did not arrive.")
  }

  private func second(of daemon: Child) throws -> (peerCount: Int, microseconds: Double) {
    guard let line = try daemon.line(within: .seconds(60)) else { throw Child.Silence() }
    let words = line.split(separator: " ").compactMap { Double($0) }
    guard words.count == 2 else { throw LinkFailure("The daemon said: \(line)") }
    return (Int(words[0]), words[1])
  }
}

/// The other process of `Rest`.
///
/// ```
/// ready ENDPOINT
/// PEERS MICROSECONDS                     with each second: connected, and computed in it
/// ```
enum RestingDaemon {
  static let flag = "--resting-daemon"

  static func document(_ number: Int) -> DocumentID? { DocumentID("rest-\(number)") }

  static func options(isDaemon: Bool) -> BareReplica.Options {
    var options = BareReplica.Options()
    options.joinsThisMachine = false
    options.leasesReplicaID = false
    options.logger.logLevel = .error
    options.isDaemon = isDaemon
    options.documentCountMax = 2 * Rest.documentCount
    return options
  }

  static func run(_ arguments: ArraySlice<String>) async {
    guard let endpoint = arguments.first else { exit(64) }
    let parent = getppid()
    do {
      let daemon = try await BareReplica.open("benchmarks", options: options(isDaemon: true))
      var open: [DocumentHandle] = []
      for number in 0..<Rest.documentCount {
        guard let id = document(number) else { continue }
        let handle = try await daemon.engine.open(id)
        handle.set(Int64(number), for: "number")
        open.append(handle)
      }
      tell("ready \(try await daemon.engine.bind(endpoint))")
      var peerCount = 0
      // Whoever started it may be gone without a word.
      while getppid() == parent {
        let (begin, computed) = (ContinuousClock.now, Sampling.processTime)
        try await Task.sleep(for: .seconds(1))
        let passed = (ContinuousClock.now - begin) / .seconds(1)
        let used = Unit.microseconds.value(of: Sampling.processTime - computed) / passed
        tell("\(peerCount) \(Int(used))")
        // The status goes through all documents, so it is not asked for once everybody is there.
        if peerCount < Rest.peerCount { peerCount = await daemon.engine.status().peers.count }
      }
      withExtendedLifetime(open) {}
      exit(0)
    } catch {
      Report.say("\(error)")
      exit(1)
    }
  }

  static func tell(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
