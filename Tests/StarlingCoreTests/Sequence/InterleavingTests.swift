import Testing

@testable import StarlingCore

/// Words typed concurrently at one place stay words.
@Suite struct `Concurrent words` {
  enum Manner: CaseIterable {
    case forwards, backwards, atOnce
    case fromTheMiddle
    /// With a slip that is removed after each letter.
    case correcting
  }

  private func type(_ word: String, at index: Int, by writer: inout Writer, _ manner: Manner) -> [SequenceTreeEdit] {
    let letters = word.map(String.init)
    switch manner {
    case .forwards: return letters.enumerated().map { writer.write($1, at: index + $0) }
    case .backwards: return letters.reversed().map { writer.write($0, at: index) }
    case .atOnce: return [writer.write(word, at: index)]
    case .fromTheMiddle:
      let half = letters.count / 2
      let tail = letters[half...].enumerated().map { writer.write($1, at: index + $0) }
      return tail + letters[..<half].enumerated().map { writer.write($1, at: index + $0) }
    case .correcting:
      return letters.enumerated().flatMap { place, letter in
        let slip = writer.write("?", at: index + place)
        let removal = writer.erase(index + place..<index + place + 1)
        return [slip, removal, writer.write(letter, at: index + place)]
      }
    }
  }

  /// All orders in which three bundles can be heard.
  private static let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]

  @Test(arguments: [("", 0), ("()", 1), ("(", 1), (")", 0)])
  func `by three replicas at one place are not mixed`(_ start: String, _ index: Int) {
    let words = ["alpha", "bravo", "gamma"]
    var first = Writer(9)
    let base = start.isEmpty ? nil : first.write(start, at: 0)
    for manners in Manner.allCases.flatMap({ a in Manner.allCases.flatMap { b in Manner.allCases.map { [a, b, $0] } } })
    {
      let edits = words.indices.map { place in
        var writer = Writer(UInt32(place), first.tree)
        return type(words[place], at: index, by: &writer, manners[place])
      }
      var texts: Set<String> = []
      for order in Self.orders {
        var tree = SequenceTree(holdsText: true)
        if let base { tree.apply(base) }
        for bundle in order { for edit in edits[bundle] { tree.apply(edit) } }
        tree.checkInvariants()
        texts.insert(tree.string)
      }
      #expect(texts.count == 1, "\(manners)")
      #expect(words.allSatisfy { texts.first!.contains($0) }, "\(manners): \(texts)")
      #expect(texts.first!.count == start.count + 15)
    }
  }

  @Test func `go between brackets, not outside of them`() {
    var one = Writer(0)
    let base = one.write("()", at: 0)
    var other = Writer(1)
    other.tree.apply(base)
    let edits = (type("left", at: 1, by: &one, .backwards), type("right", at: 1, by: &other, .forwards))
    for edit in edits.0 { other.tree.apply(edit) }
    for edit in edits.1 { one.tree.apply(edit) }
    #expect(one.tree.string == other.tree.string)
    #expect(["(leftright)", "(rightleft)"].contains(one.tree.string))
  }

  @Test func `typed anew after a removal stand where they are typed`() {
    var writer = Writer(0)
    _ = writer.write("ac", at: 0)
    for letter in ["x", "y", "z", "b"] {
      _ = writer.write(letter, at: 1)
      #expect(writer.tree.string == "a\(letter)c")
      if letter != "b" { _ = writer.erase(1..<2) }
    }
    writer.tree.checkInvariants()
  }
}
