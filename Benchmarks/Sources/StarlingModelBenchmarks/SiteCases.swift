import Foundation
import Measuring
import Starling

#if NATS
  import StarlingNATS
  import StarlingZeroMQ

  private let writeCount = Scale.count(400)
  private let roundCount = Scale.isQuick ? 1 : 5

  /// Between sites: a NATS cluster of three servers, the writer at the first and the receiver at the third.
  extension Case {
    static let sites: [Case] =
      Server.path(of: "nats-server") == nil
      ? []
      : [
        Case("sites-latency", "sites-latency-p99") {
          // Slowly enough for all these processes and servers, which may share two cores, to be idle again.
          let laps = try await withRace { try await $0.latencies(of: Scale.count(400), pause: 2000) }
          var median = figure("sites-latency", .microseconds, of: laps) { $0.median }
          median.notes.append("goal: at most 1.3 x nats")
          return [median, figure("sites-latency-p99", .microseconds, of: laps) { $0.p99 }]
        },
        Case("sites-writes") {
          let laps = try await withRace { try await $0.rates(of: Scale.count(300_000)) }
          var rate = figure("sites-writes", .perSecond, of: laps) { $0.writesPerSecond.rounded() }
          rate.notes.append("goal: at least 0.8 x nats")
          return [rate]
        },
        loggedWrites("sites-logged-writes", writers: 1), loggedWrites("sites-logged-writes-64", writers: 64),
        opening,
      ]

    /// A million keys, each of them written ten times: opened from a stream and from a file, in turn, until one is read.
    private static let opening = Case("sites-open") {
      let (keyCount, writesEach) = (Scale.count(1_000_000), 10)
      let cluster = try NATSCluster()
      defer { cluster.end() }
      let stores = [
        Store { [servers = cluster.servers] options in
          options.cluster = Replica.Options.Cluster(servers: servers)
          var place = Replica.Options.JetStream()
          place.replicas = 1
          options.log = .jetStream(place)
        }, Store(),
      ]
      defer { for store in stores { store.remove() } }
      for store in stores {
        try await store.fillShelf(keyCount * writesEach) { ("key\($0 % keyCount)", "value\($0 / keyCount)") }
      }
      var times: [[Double]] = [[], []]
      for _ in 0..<roundCount {
        for (place, store) in stores.enumerated() {
          let begin = ContinuousClock.now
          let replica = try await store.open()
          let shelf = try replica.model(Shelf.self, named: "model", isolation: nil)
          let value = shelf.entries["key\(keyCount - 1)"]
          times[place].append(Unit.milliseconds.value(of: ContinuousClock.now - begin))
          precondition(value == "value\(writesEach - 1)")
          try await replica.close()
        }
      }
      return [
        Figure(
          "sites-open", .milliseconds, Sample(times[0]), peers: ["file": Sample(times[1]).median],
          notes: ["\(keyCount) keys, \(keyCount * writesEach) writes", "goal: at most 3 x file"])
      ]
    }

    /// Starling's replicas are in the cluster themselves; with `daemons` each talks to a daemon beside it.
    private static func withRace<Laps>(_ measure: (Race) async throws -> Laps) async throws -> Laps {
      let cluster = try NATSCluster()
      defer { cluster.end() }
      return try await measure(
        Race(
          routes: [Route(.starling), Route(.starling, named: "daemons").with { $0.isRelayed = true }, Route(.nats)].map
          {
            $0.with { $0.servers = cluster.servers }
          }))
    }

    /// Writes that a stream on three servers has acknowledged when `flush` returns, by one writer and by 64 at once,
    /// beside messages of the same bytes that are published to such a stream: one at a time, and 64 together.
    private static func loggedWrites(_ name: String, writers: Int) -> Case {
      Case(name) {
        let cluster = try NATSCluster()
        defer { cluster.end() }
        let stream = try RawJetStream(at: cluster.servers)
        let log = try JetStreamLog(servers: cluster.servers, name: "benchmark", replicas: 3)
        let replica = try await Replica.open("benchmark", over: ZeroMQLink(), log: log)
        let lines = try (0..<writers).map { try replica.model(Line.self, named: "line-\($0)", isolation: nil) }
        let perWriter = max(1, writers == 1 ? writeCount : writeCount / 16)
        var (ours, theirs): ([Double], [Double]) = ([], [])
        for round in 0...roundCount {
          let own = try await writing(perWriter, to: lines, of: replica, round)
          let plain = try Sampling.time { for number in 0..<perWriter { try stream.publish(writers, number) } }
          guard round > 0 else { continue }
          ours.append(perSecond(perWriter * writers, in: own))
          theirs.append(perSecond(perWriter * writers, in: plain))
        }
        try await replica.close()
        stream.close()
        return [Figure(name, .perSecond, Sample(ours), peers: ["jetstream": Sample(theirs).median])]
      }
    }
  }
#else
  extension Case {
    /// They need the trait NATS.
    static let sites: [Case] = []
  }
#endif
