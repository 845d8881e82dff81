import StarlingCore

/// One thing that somebody writes. The numbers choose among what the replica sees then, so that it means something
/// whatever was left out before.
enum GroupEdit: Hashable, Sendable {
  case note
  case set(key: Int, Int)
  case remove(key: Int)
  case assign(key: Int)
  case moveObject(from: Int, to: Int)
  case insert(at: Int, count: Int)
  case removeElements(at: Int, count: Int)
  case move(from: Int, to: Int)
  case setElement(at: Int, Int)
  case type(at: Int, String)
  case erase(at: Int, count: Int)
  case mark(at: Int, count: Int, isOn: Bool)
  case several([GroupEdit])

  static func draw(_ generator: inout some RandomNumberGenerator, depth: Int = 0) -> Self {
    func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
    return switch number(depth == 0 ? 16 : 15) {
    case 0, 1, 2: .note
    case 3, 4: .set(key: number(4), number(100))
    case 5: .remove(key: number(4))
    case 6: .assign(key: number(4))
    case 7: .moveObject(from: number(4), to: number(4))
    case 8: .insert(at: number(50), count: 1 + number(3))
    case 9: .removeElements(at: number(50), count: 1 + number(2))
    case 10: .move(from: number(50), to: number(50))
    case 11: .setElement(at: number(50), number(100))
    case 12: .type(at: number(100), ["a", "bc", "é𝄞", "a longer stretch"][number(4)])
    case 13: .erase(at: number(100), count: 1 + number(4))
    case 14: .mark(at: number(100), count: 1 + number(4), isOn: number(2) == 0)
    default: .several((0..<(2 + number(3))).map { _ in draw(&generator, depth: 1) })
    }
  }

  /// - Parameter note: writes the next note.
  func apply(to document: inout Document, _ patch: inout Patch, note: (inout Document, inout Patch) -> Void) {
    func name(_ key: Int) -> Key { .name(["a", "b", "c", "d"][key]) }
    switch self {
    case .note: note(&document, &patch)
    case .set(let key, let value): document.set(.integer(Int64(value)), for: name(key), in: .root, patch: &patch)
    case .remove(let key): document.remove(name(key), in: .root, patch: &patch)
    case .assign(let key):
      let child = document.assignObject(.map, for: name(key), in: .root, patch: &patch)
      document.set(.integer(1), for: "x", in: child, patch: &patch)
    case .moveObject(let from, let to):
      guard case .value(.object, let dot) = document.visible(name(from), in: .root) else { return }
      try? document.place(.assigned(by: dot), for: name(to), in: .root, patch: &patch)
    case .insert, .removeElements, .move, .setElement: applyToList(of: &document, &patch)
    case .type, .erase, .mark: applyToText(of: &document, &patch)
    case .several(let edits): for edit in edits { edit.apply(to: &document, &patch, note: note) }
    }
  }

  private func applyToList(of document: inout Document, _ patch: inout Patch) {
    let list = document.declare(.list, for: "items", in: .root)
    let length = document.count(in: list)
    switch self {
    case .insert(let index, let count):
      let values = (0..<count).map { Value.integer(Int64(index + $0)) }
      document.insert(values, at: index % (length + 1), in: list, patch: &patch)
    case .removeElements(let index, let count):
      document.removeItems(range(index, count, of: length), in: list, patch: &patch)
    case .move(let from, let to):
      if length > 0 { document.move(from: from % length, to: to % length, in: list, patch: &patch) }
    case .setElement(let index, let value):
      guard length > 0, let element = document.element(at: index % length, in: list) else { return }
      document.set(.integer(Int64(value)), for: .element(element), in: list, patch: &patch)
    default: break
    }
  }

  private func applyToText(of document: inout Document, _ patch: inout Patch) {
    let text = document.declare(.text, for: "body", in: .root)
    let length = document.count(in: text)
    switch self {
    case .type(let index, let string):
      document.insert(string, at: index % (length + 1), in: text, patch: &patch)
    case .erase(let index, let count):
      document.removeItems(range(index, count, of: length), in: text, patch: &patch)
    case .mark(let index, let count, let isOn):
      document.mark(
        range(index, count, of: length), "bold", value: isOn ? .bool(true) : .null, expandsLeft: false,
        expandsRight: true, in: text, patch: &patch)
    default: break
    }
  }

  private func range(_ index: Int, _ count: Int, of length: Int) -> Range<Int> {
    let start = index % (length + 1)
    return start..<min(length, start + count)
  }
}
