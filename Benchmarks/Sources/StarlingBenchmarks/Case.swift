/// A piece of work that is measured: one call gives one figure, or several that come of the same work.
struct Case: Sendable {
  let names: [String]
  let measure: @Sendable () async throws -> [Figure]

  init(_ names: String..., measure: @escaping @Sendable () async throws -> [Figure]) {
    self.names = names
    self.measure = measure
  }

  static let all: [Case] = core + bytes + states + memory + graph + links
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
