/// A piece of work that is measured: one call gives one figure, or several that come of the same work.
package struct Case: Sendable {
  package let names: [String]
  package let measure: @Sendable () async throws -> [Figure]

  package init(_ names: String..., measure: @escaping @Sendable () async throws -> [Figure]) {
    self.init(named: names, measure: measure)
  }

  package init(named names: [String], measure: @escaping @Sendable () async throws -> [Figure]) {
    self.names = names
    self.measure = measure
  }
}

/// Cases that stand under one heading of the table.
package struct Section: Sendable {
  package let title: String
  package let cases: [Case]

  package init(title: String, cases: [Case]) {
    self.title = title
    self.cases = cases
  }
}

/// One line of the report.
package struct Figure {
  package let name: String
  package let unit: Unit
  package let starling: Sample
  /// What others read at the same work, by their key.
  package var peers: [String: Double] = [:]
  /// What the figure alone does not say, for the reader of the table.
  package var notes: [String] = []
  /// What a program that reads the figures has to know besides: further fields of its line.
  package var details: [(name: String, value: Detail)] = []

  package enum Detail {
    case text(String)
    case numbers([Double])
    case number(Double)
  }

  package init(
    _ name: String, _ unit: Unit, _ starling: Sample, peers: [String: Double] = [:], notes: [String] = []
  ) {
    self.name = name
    self.unit = unit
    self.starling = starling
    self.peers = peers
    self.notes = notes
  }
}
