import Measuring

/// Several routes side by side: all stand open, and are measured in turn, round by round, so that whatever else the
/// machine does meets all of them.
struct Race: Sendable {
  /// The first is the one that the figure is of; without it there is none. Of the others those that fail are left out.
  let routes: [Route]
  var receiverCount = 1

  static let latencyRoundCount = Scale.isQuick ? 1 : 5
  static let rateRoundCount = Scale.isQuick ? 1 : 3

  /// What a route read in each round.
  struct Lap<Reading> {
    let route: Route
    let readings: [Reading]
  }

  struct Latency {
    /// Microseconds.
    let median: Double
    let p99: Double
  }

  /// - Parameter pause: microseconds between two writes.
  func latencies(of count: Int, pause: UInt32) async throws -> [Lap<Latency>] {
    try await run(for: .latency, roundCount: Self.latencyRoundCount) { route, isWarm in
      let sorted = try route.latencies(of: isWarm ? count : max(1, count / 10), pause: pause).sorted()
      return Latency(median: sorted[sorted.count / 2], p99: sorted[sorted.count * 99 / 100])
    }
  }

  func rates(of count: Int) async throws -> [Lap<OpenRoute.Rate>] {
    try await run(for: .rate, roundCount: Self.rateRoundCount) { route, isWarm in
      try route.rate(of: isWarm ? count : max(1, count / 10))
    }
  }

  func costs(of count: Int) async throws -> [Lap<(nanoseconds: Double, runsPerMessage: Double)>] {
    try await run(for: .cost, roundCount: Self.latencyRoundCount) { route, isWarm in
      try route.cost(of: isWarm ? count : max(1, count / 10))
    }
  }

  /// - Parameter round: does not count where it is told that nothing is warm yet.
  private func run<Reading>(
    for purpose: Purpose, roundCount: Int, _ round: (OpenRoute, _ isWarm: Bool) throws -> Reading
  ) async throws -> [Lap<Reading>] {
    var open: [(place: Int, route: OpenRoute)] = []
    for (place, route) in routes.enumerated() where Medium.installed.contains(route.medium) {
      do {
        open.append((place, try await OpenRoute(route, receiverCount: receiverCount, for: purpose)))
      } catch let error where place > 0 {
        Report.say("\(route.name) is left out: \(error)")
      }
    }
    var readings = [[Reading]](repeating: [], count: routes.count)
    for number in 0...roundCount {
      for (index, one) in open.enumerated().reversed() {
        do {
          let reading = try round(one.route, number > 0)
          if number > 0 { readings[one.place].append(reading) }
        } catch let error where one.place > 0 {
          Report.say("\(routes[one.place].name) is left out: \(error)")
          readings[one.place] = []
          try? await open.remove(at: index).route.close()
        }
      }
    }
    for one in open { try await one.route.close() }
    return zip(routes, readings).filter { !$0.1.isEmpty }.map { Lap(route: $0.0, readings: $0.1) }
  }
}
