import Foundation

/// Measures Starling, and beside it what a user would pick instead:
///
/// ```
/// StarlingBenchmarks [--format table|json] [--peers PYTHON] [--quick] [CASE...]
/// StarlingBenchmarks --soak [--operations COUNT] [--replicas COUNT] [--seed SEED]
/// StarlingBenchmarks --frozen-subscriber [--seconds COUNT] [--rate WRITES] [--healthy COUNT] [--everything]
/// StarlingBenchmarks --joiner [--keys COUNT] [--rate WRITES] [--seconds COUNT]
/// StarlingBenchmarks --counted NAME        for thresholds.py
/// ```
@main
struct StarlingBenchmarks {
  static func main() async {
    var arguments = CommandLine.arguments.dropFirst()
    if arguments.first == LinkPeer.flag {
      await LinkPeer.run(arguments.dropFirst())
      return
    }
    if arguments.first == Subscriber.flag {
      await Subscriber.run(arguments.dropFirst())
      return
    }
    if arguments.first == JoiningPeer.flag {
      await JoiningPeer.run(arguments.dropFirst())
      return
    }
    do {
      if arguments.first == Joiner.flag {
        var scenario = try await Joiner(try joinerOptions(arguments.dropFirst()))
        exit(try await scenario.run() ? 0 : 1)
      }
      if arguments.first == FrozenSubscriber.flag {
        var scenario = try await FrozenSubscriber(try frozenSubscriberOptions(arguments.dropFirst()))
        exit(try await scenario.run() ? 0 : 1)
      }
      if arguments.first == Soak.flag {
        var soak = Soak(try soakOptions(arguments.dropFirst()))
        exit(try soak.run() ? 0 : 1)
      }
      if arguments.first == CountedWork.flag {
        let name = arguments.dropFirst().first ?? ""
        guard let count = try CountedWork.run(name) else {
          throw UsageError("\(CountedWork.flag) is followed by one of \(CountedWork.names.joined(separator: " "))")
        }
        print(count)
        return
      }
      let options = try Options(&arguments)
      let report = Report(format: options.format)
      report.begin()
      let beside = try options.peers?.measure(options.names) ?? [:]
      for section in Section.all {
        let cases = section.cases.filter { $0.names.contains { options.names.contains($0) } }
        if !cases.isEmpty { report.begin(section) }
        for one in cases {
          for var figure in try await one.measure() where options.names.contains(figure.name) {
            figure.peers.merge(beside[figure.name] ?? [:]) { own, _ in own }
            report.add(figure)
          }
        }
      }
    } catch {
      Report.say("\(error)")
      exit(1)
    }
  }

  private static func frozenSubscriberOptions(
    _ arguments: ArraySlice<String>
  ) throws(UsageError) -> FrozenSubscriber.Options {
    var arguments = arguments
    var options = FrozenSubscriber.Options()
    while let argument = arguments.popFirst() {
      if argument == "--everything" {
        options.keepsEverything = true
        continue
      }
      let value = arguments.popFirst().flatMap { Int($0) } ?? 0
      switch argument {
      case "--seconds" where 1...3600 ~= value: options.seconds = value
      case "--rate" where 1...1_000_000 ~= value: options.rate = value
      case "--healthy" where 1...64 ~= value: options.healthyCount = value
      default:
        throw UsageError(
          "\(FrozenSubscriber.flag) takes --seconds, --rate, --healthy, each with a number, and --everything.")
      }
    }
    return options
  }

  private static func joinerOptions(_ arguments: ArraySlice<String>) throws(UsageError) -> Joiner.Options {
    var arguments = arguments
    var options = Joiner.Options()
    while let argument = arguments.popFirst() {
      let value = arguments.popFirst().flatMap { Int($0) } ?? 0
      switch argument {
      case "--keys" where 1...16_000_000 ~= value: options.keyCount = value
      case "--rate" where 1...1_000_000 ~= value: options.rate = value
      case "--seconds" where 1...3600 ~= value: options.seconds = value
      default: throw UsageError("\(Joiner.flag) takes --keys, --rate and --seconds, each with a number.")
      }
    }
    return options
  }

  private static func soakOptions(_ arguments: ArraySlice<String>) throws(UsageError) -> Soak.Options {
    var arguments = arguments
    var options = Soak.Options()
    while let argument = arguments.popFirst() {
      let value = arguments.popFirst().flatMap { Int($0) } ?? 0
      switch argument {
      case "--operations" where value >= 1000: options.operationCount = value
      case "--replicas" where 2...1000 ~= value: options.replicaCount = value
      case "--seed" where 1...Int(UInt32.max) ~= value: options.seed = UInt32(value)
      default:
        throw UsageError(
          "\(Soak.flag) takes --operations (1000 or more), --replicas (2 to 1000) and --seed (1 or more), each a number."
        )
      }
    }
    return options
  }

  private struct Options {
    var format = Report.Format.table
    var peers: Peers?
    /// All, unless some are named. A name stands for all that begin with it: "latency-ipc" for "latency-ipc-p99" too.
    var names = Case.all.flatMap(\.names)

    init(_ arguments: inout ArraySlice<String>) throws(UsageError) {
      var asked: [String] = []
      while let argument = arguments.popFirst() {
        switch argument {
        case "--format":
          guard let value = arguments.popFirst().flatMap(Report.Format.init) else {
            throw UsageError("--format is followed by table or json.")
          }
          format = value
        case "--peers":
          guard let python = arguments.popFirst() else {
            throw UsageError("--peers is followed by the path of a Python that has them installed.")
          }
          peers = Peers(python: python)
        case Scale.flag: break
        default:
          let meant = names.filter { $0 == argument || $0.hasPrefix(argument + "-") }
          guard meant.isEmpty else {
            asked += meant
            continue
          }
          throw UsageError("There is no case '\(argument)'. There are: \(names.joined(separator: " "))")
        }
      }
      if !asked.isEmpty { names = asked }
    }
  }

  private struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
      self.description = description
    }
  }
}
