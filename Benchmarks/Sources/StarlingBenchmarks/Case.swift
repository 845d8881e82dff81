/// A piece of work that is measured: one call gives one figure, or several that come of the same work.
struct Case: Sendable {
  let names: [String]
  let measure: @Sendable () async throws -> [Figure]

  init(_ names: String..., measure: @escaping @Sendable () async throws -> [Figure]) {
    self.init(named: names, measure: measure)
  }

  init(named names: [String], measure: @escaping @Sendable () async throws -> [Figure]) {
    self.names = names
    self.measure = measure
  }

  static let all: [Case] = Section.all.flatMap(\.cases)
}

/// Cases that stand under one heading of the table.
struct Section: Sendable {
  let title: String
  let cases: [Case]

  static let all: [Section] = [
    Section(title: "Figures to reach", cases: Case.core + Case.bytes + Case.states + Case.text),
    Section(title: "Readers and memory", cases: Case.memory + Case.graph + Case.readers),
    Section(title: "Between processes", cases: Case.links),
    Section(title: "One user (crdt-benchmarks B1)", cases: Case.oneUser),
    Section(title: "Two users at once (crdt-benchmarks B2)", cases: Case.twoUsers),
    Section(title: "Many users at once (crdt-benchmarks B3)", cases: Case.manyUsers),
    Section(title: "Moving between parents", cases: Case.moves),
    Section(title: "Growth: an operation at 1, 2, 4 and 8 times the size", cases: Case.growth),
  ]
}

/// One line of the report.
struct Figure {
  let name: String
  let unit: Unit
  let starling: Sample
  /// What others read at the same work, by their key.
  var peers: [String: Double] = [:]
  /// What the figure alone does not say, for the reader of the table.
  var notes: [String] = []
  /// What a program that reads the figures has to know besides: further fields of its line.
  var details: [(name: String, value: Detail)] = []

  enum Detail {
    case text(String)
    case numbers([Double])
    case number(Double)
  }

  init(
    _ name: String, _ unit: Unit, _ starling: Sample, peers: [String: Double] = [:], notes: [String] = []
  ) {
    self.name = name
    self.unit = unit
    self.starling = starling
    self.peers = peers
    self.notes = notes
  }
}
