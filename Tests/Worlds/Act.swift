import StarlingCore

// What an act does to the document that it comes to. Where there is nothing to do it to, it does nothing.

extension World.Act {
  /// - Returns: What it did, for people.
  func perform(on document: inout Document, patch: inout Patch) -> String {
    switch verb {
    case .type:
      let (text, name) = text(in: &document)
      let string = ["a", "bc", "é𝄞", "xyz"][a % 4]
      let index = b % (document.count(in: text) + 1)
      document.insert(string, at: index, in: text, patch: &patch)
      return "types \(string) at \(index) of \(name)"
    case .removeText:
      let (text, name) = text(in: &document)
      let range = range(document.count(in: text))
      document.removeItems(range, in: text, patch: &patch)
      return "removes \(range) of \(name)"
    case .mark, .unmark:
      let (text, name) = text(in: &document)
      let range = range(document.count(in: text))
      let value = verb == .unmark ? Value.null : .integer(Int64(a % 2))
      document.mark(
        range, b & 8 == 0 ? "bold" : "font", value: value, expandsLeft: a & 16 != 0, expandsRight: a & 32 != 0,
        in: text, patch: &patch)
      return "marks \(range) of \(name) \(b & 8 == 0 ? "bold" : "font") \(value)"
    case .insert, .insertObject:
      let (list, name) = list(in: &document)
      let index = b % (document.count(in: list) + 1)
      let values: [Value] =
        verb == .insertObject ? [.object(.map)] : (0...a % 2).map { .integer(Int64(a + $0)) }
      document.insert(values, at: index, in: list, patch: &patch)
      return "inserts \(values) at \(index) of \(name)"
    case .removeElements:
      let (list, name) = list(in: &document)
      let range = range(document.count(in: list))
      document.removeItems(range, in: list, patch: &patch)
      return "removes \(range) of \(name)"
    case .move:
      let (list, name) = list(in: &document)
      let count = document.count(in: list)
      guard count > 0 else { return "" }
      document.move(from: a % count, to: b % count, in: list, patch: &patch)
      return "moves \(a % count) to \(b % count) of \(name)"
    case .setElement:
      let (list, name) = list(in: &document)
      guard let element = element(a, of: list, in: document) else { return "" }
      if b & 1 == 0 {
        document.set(.integer(Int64(b)), for: element, in: list, patch: &patch)
        return "sets \(element) of \(name)"
      }
      document.insert("n", at: 0, in: document.declare(.text, for: element, in: list), patch: &patch)
      return "types below \(element) of \(name)"
    case .set:
      let (object, key, name) = slot(in: &document)
      document.set(.integer(Int64(b % 3)), for: key, in: object, patch: &patch)
      return "sets \(name) to \(b % 3)"
    case .present:
      let (object, key, name) = slot(in: &document)
      document.set(.derived(b & 1 == 0 ? .map : .dictionary), for: key, in: object, patch: &patch)
      return "says that \(name) is there"
    case .assign:
      let (object, key, name) = slot(in: &document)
      let id = document.assignObject(.map, for: key, in: object, patch: &patch)
      document.set(.integer(Int64(b)), for: "x", in: id, patch: &patch)
      document.insert("o", at: 0, in: document.declare(.text, for: "t", in: id), patch: &patch)
      return "puts an object at \(name)"
    case .clear:
      let (object, key, name) = slot(in: &document)
      document.remove(key, in: object, patch: &patch)
      return "removes \(name)"
    case .newObject, .place, .setAside, .removeObject, .editObject: return move(in: &document, patch: &patch)
    case .count, .countElement:
      guard let (object, key) = counter(in: &document) else { return "" }
      let amount = Int64(b % 5) - 2
      document.increment(key, in: object, by: amount == 0 ? 3 : amount, patch: &patch)
      return "adds \(amount == 0 ? 3 : amount) to \(key)"
    }
  }

  /// The slot that it counts in, if it does and there is one.
  func counter(in document: inout Document) -> (ObjectID, Key)? {
    switch verb {
    case .count:
      let (object, key, _) = slot(in: &document)
      return (object, key)
    case .countElement:
      let (list, _) = list(in: &document)
      return element(a, of: list, in: document).map { (list, $0) }
    default: return nil
    }
  }

  // MARK: Where

  /// At the root, below a map, or below a dictionary in that.
  private func holder(in document: inout Document) -> (ObjectID, String) {
    switch place % 4 {
    case 0: return (.root, "")
    case 1, 2: return (document.declare(.map, for: "m", in: .root), "m/")
    default: return (document.declare(.dictionary, for: "n", in: document.declare(.map, for: "m", in: .root)), "m/n/")
    }
  }

  private func text(in document: inout Document) -> (ObjectID, String) {
    let (holder, name) = holder(in: &document)
    return (document.declare(.text, for: "t", in: holder), name + "t")
  }

  private func list(in document: inout Document) -> (ObjectID, String) {
    let (holder, name) = holder(in: &document)
    return (document.declare(.list, for: "l", in: holder), name + "l")
  }

  /// One that things stand below, or beside them.
  private func slot(in document: inout Document) -> (ObjectID, Key, String) {
    switch verb == .clear && a % 8 < 5 ? 0 : (a + place) % 6 {
    case 0, 1: return (.root, "m", "m")
    case 2: return (document.declare(.map, for: "m", in: .root), "n", "m/n")
    case 3:
      let (holder, name) = holder(in: &document)
      return (holder, "t", name + "t")
    case 4:
      let (holder, name) = holder(in: &document)
      return (holder, "l", name + "l")
    default:
      let (holder, name) = holder(in: &document)
      return (holder, "v", name + "v")
    }
  }

  private func element(_ number: Int, of list: ObjectID, in document: Document) -> Key? {
    let count = document.count(in: list)
    return count == 0 ? nil : document.element(at: number % count, in: list).map { .element($0) }
  }

  private func range(_ count: Int) -> Range<Int> {
    let start = a % (count + 1)
    return start..<min(count, start + 1 + b % 3)
  }
}
