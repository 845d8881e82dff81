/// The cases that a program was asked for, and how it is to tell of them.
///
/// ```
/// PROGRAM [--format table|json] [--record FILE] [--peers PYTHON] [--quick] [CASE...]
/// ```
package struct Run {
  private let sections: [Section]
  private var format = Report.Format.table
  /// Where figures are added as lines of JSON, whatever is printed.
  private var record: String?
  private var peers: Peers?
  /// All, unless some are named. A name stands for all that begin with it: "latency-ipc" for "latency-ipc-p99" too.
  private var names: [String]

  package init(_ sections: [Section], _ arguments: ArraySlice<String>) throws(UsageError) {
    self.sections = sections
    names = sections.flatMap(\.cases).flatMap(\.names)
    var arguments = arguments
    var asked: [String] = []
    while let argument = arguments.popFirst() {
      switch argument {
      case "--format":
        guard let value = arguments.popFirst().flatMap(Report.Format.init) else {
          throw UsageError("--format is followed by table or json.")
        }
        format = value
      case "--record":
        guard let file = arguments.popFirst() else { throw UsageError("--record is followed by the path of a file.") }
        record = file
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

  /// Measures, and prints each figure as it comes.
  package func perform() async throws {
    let asked = sections.map { section in section.cases.filter { $0.names.contains { names.contains($0) } } }
    let report = try Report(format: format, record: record, caseCount: asked.reduce(0) { $0 + $1.count })
    report.begin()
    let beside = try peers?.measure(names) ?? [:]
    var done = 0
    for (section, cases) in zip(sections, asked) {
      if !cases.isEmpty { report.begin(section) }
      for one in cases {
        report.begin(one, after: done)
        done += 1
        for var figure in try await one.measure() where names.contains(figure.name) {
          figure.peers.merge(beside[figure.name] ?? [:]) { own, _ in own }
          report.add(figure)
        }
      }
    }
  }
}

package struct UsageError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
