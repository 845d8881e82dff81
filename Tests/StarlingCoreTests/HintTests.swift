import StarlingCore
import Testing

@Suite struct `A hint` {
  private let hints: [SlotHint] = [.none, SlotHint(0), SlotHint(1), SlotHint(70_000)]

  @Test func `changes nothing, whatever it says`() throws {
    var group = Group(2)
    group.set(0, "a", .integer(1))
    group.set(0, "b", .integer(2))
    group.remove(0, "a")
    group.set(0, "a", .integer(3))
    group.increment(0, "b", by: 1)
    var plain = Patch()
    for change in group.log { _ = try group.documents[1].merge(change, patch: &plain) }

    // Every way to give each of the five operations one of the four hints.
    for way in 0..<1024 {
      var document = Document()
      var patch = Patch()
      var rest = way
      for change in group.log {
        var change = change
        change.operations[0].hint = hints[rest % 4]
        rest /= 4
        _ = try document.merge(change, patch: &patch)
        document.checkInvariants()
      }
      #expect(document.snapshot() == group.documents[1].snapshot(), "Way \(way)")
      #expect(Set(patch.entries) == Set(plain.entries), "Way \(way)")
    }
  }

  @Test func `is no part of what an operation says`() {
    let plain = Operation(object: .root, key: "a", action: .remove(replacing: [], clearing: nil))
    var hinted = plain
    hinted.hint = SlotHint(7)
    #expect(hinted == plain)
    #expect(hinted.hashValue == plain.hashValue)
  }
}
