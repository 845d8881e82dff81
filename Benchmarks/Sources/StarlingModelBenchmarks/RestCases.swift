import Foundation
import Logging
import Measuring
import Starling
import StarlingCore
import StarlingEngine

private let documentCount = Scale.count(10_000)
private let peerCount = Scale.count(100)
/// Each document is open at so many of the peers.
private let audienceCount = 10

extension Case {
  /// What a daemon computes in a second while ten thousand documents are open at it, a hundred peers are connected to it, each
  /// with some of the documents open, and nobody writes. The peers are in another process.
  static let rest: [Case] = [
    Case("rest") {
      var options = Replica.Options()
      options.joinsThisMachine = false
      options.logger.logLevel = .warning
      options.isDaemon = true
      options.documentCountMax = 2 * documentCount
      let daemon = try await Replica.open("benchmarks", options: options)
      let peers = try RestingPeers.start(at: try await daemon.engine.bind(Transport.ipc.endpoint))
      guard try peers.line(within: .seconds(600)) != nil else { throw Child.Silence() }
      // What was said last is acknowledged, and told again twice.
      try await Task.sleep(for: .seconds(Scale.isQuick ? 1 : 15))
      var seconds: [Double] = []
      for _ in 0..<(Scale.isQuick ? 1 : 5) {
        let (begin, computed) = (ContinuousClock.now, Sampling.processTime)
        try await Task.sleep(for: .seconds(2))
        let (passed, used) = (ContinuousClock.now - begin, Sampling.processTime - computed)
        seconds.append(Unit.microseconds.value(of: used) / Unit.microseconds.value(of: passed) * 1e6)
      }
      peers.end()
      try await daemon.close()
      return [
        Figure(
          "rest", .microseconds, Sample(seconds),
          notes: [
            "computed by the daemon in a second, \(documentCount) documents, \(peerCount) peers, each document at "
              + "\(audienceCount) of them"
          ])
      ]
    }
  ]
}

/// The peers of a daemon at rest: this very program, run again. It ends when its standard input does.
enum RestingPeers {
  static let flag = "--resting-peers"

  static func start(at endpoint: String) throws -> Child {
    try Child(CommandLine.arguments[0], [flag, endpoint] + (Scale.isQuick ? [Scale.flag] : []))
  }

  static func run(_ arguments: ArraySlice<String>) async {
    guard let endpoint = arguments.first else { exit(64) }
    do {
      var (replicas, open): ([Replica], [DocumentHandle]) = ([], [])
      for peer in 0..<peerCount {
        var options = Replica.Options()
        options.joinsThisMachine = false
        options.logger.logLevel = .warning
        let replica = try await Replica.open("benchmarks", options: options)
        try await replica.engine.connect(to: endpoint)
        for number in stride(from: peer % (peerCount / audienceCount), to: documentCount, by: peerCount / audienceCount)
        {
          guard let document = DocumentID("rest-\(number)") else { continue }
          open.append(try await replica.engine.open(document))
        }
        replicas.append(replica)
      }
      for replica in replicas { await replica.synchronize(atMost: .seconds(60)) }
      FileHandle.standardOutput.write(Data("ready\n".utf8))
      while !FileHandle.standardInput.availableData.isEmpty {}
      withExtendedLifetime((replicas, open)) { _exit(0) }
    } catch {
      Report.say("\(error)")
      exit(1)
    }
  }
}
