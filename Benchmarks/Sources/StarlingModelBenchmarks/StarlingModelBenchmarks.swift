import Foundation
import Measuring

/// Measures what an application sees of Starling, from a package outside it: `@Replicated` models, and replicas that are
/// opened as `Replica.open` does it. Beside it is the standard library's `@Observable`, and Loro.
///
/// ```
/// StarlingModelBenchmarks [--format table|json] [--peers PYTHON] [--quick] [CASE...]
/// ```
@main
struct StarlingModelBenchmarks {
  static func main() async {
    do {
      try await Run(sections, CommandLine.arguments.dropFirst()).perform()
    } catch {
      Report.say("\(error)")
      exit(1)
    }
  }

  private static let sections = [
    Section(title: "Models, as an application has them", cases: Case.properties + Case.arrays)
  ]
}
