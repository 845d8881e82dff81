import Measuring

extension Section {
  static let all: [Section] = [
    Section(title: "Figures to reach", cases: Case.core + Case.bytes + Case.states + Case.text),
    Section(title: "Readers and memory", cases: Case.memory + Case.graph + Case.readers),
    Section(title: "Idle", cases: Case.rest + Case.library),
    Section(title: "One user (crdt-benchmarks B1)", cases: Case.oneUser),
    Section(title: "Two users at once (crdt-benchmarks B2)", cases: Case.twoUsers),
    Section(title: "Many users at once (crdt-benchmarks B3)", cases: Case.manyUsers),
    Section(title: "Moving between parents", cases: Case.moves),
    Section(title: "Growth: an operation at 1, 2, 4 and 8 times the size", cases: Case.growth),
  ]
}
