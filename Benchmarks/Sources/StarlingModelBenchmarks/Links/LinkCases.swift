import Measuring

/// Between processes. The publisher and each receiver are processes of their own; the systems take turns within one
/// run.
extension Case {
  static let links: [Case] =
    [
      remote,
      latency(
        "model-latency-ipc", Race(routes: [.starling, .libzmq, .redis, .nats].map { Route($0) }),
        goal: "at most 1.5 x libzmq, and ahead of redis"),
      latency(
        "model-latency-tcp", Race(routes: [.starling, .libzmq, .redis, .nats].map { Route($0, over: .tcp) }),
        goal: "at most 1.5 x libzmq, and ahead of redis and nats"),
      rate("model-writes-per-second", sustained, of: 1_000_000, goal: "at least 2000000, and ahead of redis"),
    ]
    + [1, 4, 16].flatMap { count in
      let race = Race(routes: [.starling, .libzmq, .redis, .nats].map { Route($0) }, receiverCount: count)
      return [
        // Slowly enough for sixteen processes that share two cores to be idle again before the next write.
        latency("fan-out-\(count)-latency", race, of: 200, pause: 2000),
        rate("fan-out-\(count)-writes", race, of: 200_000),
      ]
    }
    + [
      latency("curve-latency", encrypted), rate("curve-writes", encrypted, of: 300_000),
      latency("relay-hop-latency", relayed), rate("relay-hop-writes", relayed, of: 300_000),
    ]

  /// What the receiving process computes for a message, from the frame that comes in until its observer ran and its log
  /// has the record: a thousand properties are written in turn, so that each message has an observer of its own to run.
  /// libzmq is the receipt alone.
  private static let remote = Case("model-remote") {
    let count = Scale.count(200_000)
    let race = Race(routes: [
      Route(.starling).with { $0.propertyCount = 1000 }, Route(.libzmq),
    ])
    let laps = try await race.costs(of: count)
    let runs = Sample(laps[0].readings.map(\.runsPerMessage)).median
    var found = figure("model-remote", .nanoseconds, of: laps) { $0.nanoseconds }
    found.details.append(("runs", .number(runs)))
    found.notes.append("observers run for a message: \(runs.shortened)")
    return [found]
  }

  /// One property is written again and again; `keys-1000` is Starling with a thousand in turn. `libzmq-bounded` is
  /// libzmq as one finds it: with a queue of a thousand messages; what does not fit is lost.
  private static let sustained = Race(
    routes: [.starling, .libzmq, .redis, .nats].map { Route($0) } + [
      Route(.starling, named: "keys-1000").with { $0.propertyCount = 1000 },
      Route(.libzmq, named: "libzmq-bounded").with { $0.isBounded = true },
    ])

  /// `plain` is Starling without keys.
  private static let encrypted = Race(
    routes: [
      Route(.starling, over: .tcp).with { $0.isEncrypted = true }, Route(.starling, named: "plain", over: .tcp),
      Route(.libzmq, over: .tcp).with { $0.isEncrypted = true },
    ])

  /// `direct` is Starling without a relay; Redis and NATS have one always.
  private static let relayed = Race(
    routes: [
      Route(.starling).with { $0.isRelayed = true }, Route(.starling, named: "direct"), Route(.redis), Route(.nats),
    ])

  /// Two figures: what half of the writes, and what all but a hundredth of them, take at most until an observer in
  /// another process runs. Each stands for its median round.
  private static func latency(
    _ name: String, _ race: Race, of count: Int = 1000, pause: UInt32 = 200, goal: String? = nil
  ) -> Case {
    Case(name, name + "-p99") {
      let laps = try await race.latencies(of: Scale.count(count), pause: pause)
      var median = figure(name, .microseconds, of: laps) { $0.median }
      if let goal { median.notes.append("goal: \(goal)") }
      return [median, figure(name + "-p99", .microseconds, of: laps) { $0.p99 }]
    }
  }

  /// What each receiver heard in a second, from the first write until the last receiver had heard the last one.
  private static func rate(_ name: String, _ race: Race, of count: Int, goal: String? = nil) -> Case {
    Case(name) {
      let count = Scale.count(count)
      let laps = try await race.rates(of: count)
      var figure = figure(name, .perSecond, of: laps) { $0.writesPerSecond.rounded() }
      if let goal { figure.notes.append("goal: \(goal)") }
      for lap in laps {
        let lost = lap.readings.reduce(0) { $0 + $1.lostCount }
        guard lost > 0 else { continue }
        let all = count * race.receiverCount * lap.readings.count
        figure.notes.append("\(lap.route.name): \(lost) of \(all) lost")
        figure.details.append((lap.route.name + "-lost", .number(Double(lost))))
      }
      if race.receiverCount > 1 {
        let deliveries = laps.map { lap in
          let perSecond = Sample(lap.readings.map(\.writesPerSecond)).median * Double(race.receiverCount)
          figure.details.append((lap.route.name + "-deliveries", .number(perSecond.rounded())))
          return "\(lap.route.name) \(perSecond.rounded().shortened)"
        }
        figure.notes.append("deliveries a second: " + deliveries.joined(separator: ", "))
      }
      return [figure]
    }
  }

  static func figure<Reading>(
    _ name: String, _ unit: Unit, of laps: [Race.Lap<Reading>], _ value: (Reading) -> Double
  ) -> Figure {
    let samples = laps.map { Sample($0.readings.map(value)) }
    return Figure(
      name, unit, samples[0],
      peers: Dictionary(uniqueKeysWithValues: zip(laps, samples).dropFirst().map { ($0.route.name, $1.median) }))
  }
}
