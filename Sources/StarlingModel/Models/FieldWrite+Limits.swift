import StarlingCore

// A write of one property may be many operations. All of it is weighed before the first is made, so that
// what is too large leaves nothing of itself behind.
extension FieldWrite {
  /// Why the document would not take the whole of it; nil where it would. One operation is weighed by the
  /// document itself. Under the document's lock.
  func refusal(under key: Key, in object: ObjectID, of document: borrowing Document) -> OversizedWrite? {
    switch self {
    case .nothing, .set, .remove, .increment, .move: return nil
    case .members, .list, .assign, .declare:
      var weight = ChangeWeight()
      weigh(under: key, into: &weight)
      return document.refusal(of: weight, under: key, in: object)
    }
  }

  func weigh(under key: Key, into weight: inout ChangeWeight) {
    switch self {
    case .nothing: break
    case .set(let value): weight.add(value, under: key)
    case .remove: weight.add(.null, under: key)
    case .increment(let amount): weight.add(.integer(amount), under: key)
    case .members(let members):
      if let whole = members.whole {
        weight.add(.derived(members.kind), under: key)
        for (member, value) in whole { weight.add(value, under: member) }
      }
      for (member, value) in members.changes { weight.add(value ?? .null, under: member) }
    case .list(let list):
      if let whole = list.whole {
        weight.add(.derived(.list), under: key)
        weight.add(insertion: whole)
      }
      // What goes and what moves is weighed by the document as it comes.
      for run in list.steps.split(whereSeparator: { !$0.isNew }) { weight.add(insertion: run.compactMap(\.write)) }
      for case .rewritten(_, let write) in list.steps { write.weigh(under: .element(.origin), into: &weight) }
    case .assign(let planting):
      weight.add(.object(.map), under: key)
      weight.add(planting.weight)
    case .declare(_, let planting): weight.add(planting.weight)
    case .move: weight.add(.object(.map), under: key)
    }
  }
}

extension ChangeWeight {
  /// Counts the insertion of elements next to each other, with the models among them. Its anchor weighs as much
  /// whichever element that is.
  mutating func add(insertion writes: [FieldWrite]) {
    add(writes.map(\.elementValue), under: .element(.origin))
    for case .assign(let planting) in writes { add(planting.weight) }
  }
}
