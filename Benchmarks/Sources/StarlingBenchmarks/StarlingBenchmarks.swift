import Foundation

/// Measures Starling, and beside it what a user would pick instead:
///
/// ```
/// StarlingBenchmarks [--format table|json] [--peers PYTHON] [--quick] [CASE...]
/// ```
@main
struct StarlingBenchmarks {
  static func main() async {
    var arguments = CommandLine.arguments.dropFirst()
    if arguments.first == LinkPeer.flag {
      await LinkPeer.run(arguments.dropFirst())
      return
    }
    do {
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

  private struct Options {
    var format = Report.Format.table
    var peers: Peers?
    /// All, unless some are named.
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
        case let name where names.contains(name): asked.append(name)
        default: throw UsageError("There is no case '\(argument)'. There are: \(names.joined(separator: " "))")
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
