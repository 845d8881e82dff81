import StarlingCore

// A write of one property may be many operations. All of it is weighed before the first is made, so that
// what is too large leaves nothing of itself behind.
extension FieldWrite {
  /// Why the document would not take the whole of it; nil where it would. One operation is weighed by the
  /// document itself. Under the document's lock.
  func refusal(under key: Key, in object: ObjectID, of document: borrowing Document) -> OversizedWrite? {
    switch self {
    case .nothing, .set, .remove, .increment: return nil
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
      // The anchor of an insertion weighs as much whichever element it is.
      let anchor = Key.element(.origin)
      let leaving = list.stretch.count - list.steps.count { !$0.isNew }
      for _ in 0..<leaving { weight.add(.null, under: anchor) }
      if list.whole != nil { weight.add(.derived(.list), under: key) }
      for write in list.whole ?? list.writes { write.weigh(under: anchor, into: &weight) }
    case .assign(let planting):
      weight.add(.object(.map), under: key)
      weight.add(planting.weight)
    case .declare(_, let planting): weight.add(planting.weight)
    }
  }
}
