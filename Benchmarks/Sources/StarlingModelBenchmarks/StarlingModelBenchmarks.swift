import Counting
import Foundation
import Measuring

/// Measures what an application sees of Starling, from a package outside it: `@Replicated` models, and replicas that
/// are opened as `Replica.open` does it. Beside it is the standard library's `@Observable`, and Loro.
///
/// ```
/// StarlingModelBenchmarks [--format table|json] [--peers PYTHON] [--quick] [CASE...]
/// StarlingModelBenchmarks --counted NAME        for thresholds.py
/// ```
@main
struct StarlingModelBenchmarks {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == LinkPeer.flag {
      await LinkPeer.run(arguments.dropFirst())
      return
    }
    do {
      if arguments.first == Counted.flag {
        try Counted.perform(arguments.dropFirst(), of: CountedModels.names, CountedModels.run)
        return
      }
      try await Run(sections, arguments).perform()
    } catch {
      Report.say("\(error)")
      exit(1)
    }
  }

  private static let sections = [
    Section(title: "Models, as an application has them", cases: Case.properties + Case.arrays + Case.texts + Case.keys),
    Section(title: "Stores", cases: Case.durable),
    Section(title: "Models in several processes", cases: Case.links),
    Section(title: "Sites, with a NATS cluster between them", cases: Case.sites),
  ]
}
