import Counting
import Foundation
import Measuring

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
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == Subscriber.flag {
      await Subscriber.run(arguments.dropFirst())
      return
    }
    if arguments.first == JoiningPeer.flag {
      await JoiningPeer.run(arguments.dropFirst())
      return
    }
    if arguments.first == RestingDaemon.flag {
      await RestingDaemon.run(arguments.dropFirst())
      return
    }
    if arguments.first == LibraryDaemon.flag {
      await LibraryDaemon.run(arguments.dropFirst())
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
      if arguments.first == Counted.flag {
        try Counted.perform(arguments.dropFirst(), of: CountedWork.names, CountedWork.run)
        return
      }
      try await Run(Section.all, arguments).perform()
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
}
