import StarlingCore
import Testing

@Suite struct `An operation on a sequence that nobody may merge` {
  private let writer = ReplicaID(rawValue: 1)
  private let list = ObjectDefinition(parent: .root, key: "list", kind: .list)
  private let text = ObjectDefinition(parent: .root, key: "text", kind: .text)

  private func change(_ key: Key, _ action: Action, in definition: ObjectDefinition? = nil) -> Change {
    let definition = definition ?? list
    return Change(
      replica: writer, firstCounter: 1, stamp: Stamp(rawValue: 1), frontier: [], objects: [definition],
      operations: [Operation(object: definition.id, key: key, action: action)])
  }

  private func refusal(_ change: Change) -> MergeError.Code? {
    var document = Document()
    var patch = Patch()
    do throws(MergeError) {
      _ = try document.merge(change, patch: &patch)
      document.checkInvariants()
      return nil
    } catch {
      #expect(document.rowCount == Document().rowCount && patch.isEmpty)
      return error.code
    }
  }

  private let value = Content.values([.null])
  private let unseen = Dot(ReplicaID(rawValue: 9), 1)

  @Test func `names no item where it must, or one where it must not`() {
    let mark = MarkOperation(start: .start, end: .end, rank: 1, value: .null, replacing: [])
    #expect(refusal(change("a", .insert(value, side: .right))) == .malformedChange)
    #expect(refusal(change("a", .removeRun(count: 1))) == .malformedChange)
    #expect(refusal(change("a", .move(to: .start, replacing: []))) == .malformedChange)
    #expect(refusal(change(.element(.origin), .mark(mark), in: text)) == .malformedChange)
    #expect(refusal(change(.element(.origin), .remove(replacing: [], clearing: nil))) == .malformedChange)
  }

  @Test func `is of nothing, or of more than there can be`() {
    #expect(refusal(change(.element(.origin), .insert(.values([]), side: .right))) == .malformedChange)
    #expect(refusal(change(.element(.origin), .insert(value, side: .left))) == .malformedChange)
    #expect(refusal(change(.element(Dot(writer, 0)), .insert(value, side: .right))) == .malformedChange)
    #expect(refusal(change(.element(unseen), .removeRun(count: 0))) == .malformedChange)
    #expect(refusal(change(.element(unseen), .removeRun(count: .max))) == .malformedChange)
    #expect(refusal(change(.element(.origin), .move(to: .start, replacing: []))) == .malformedChange)
    #expect(refusal(change(.element(unseen), .move(to: .end, replacing: []))) == .malformedChange)
  }

  @Test func `names what its writer cannot have seen`() {
    let edge = Edge(.right, of: unseen)
    let marks = [
      MarkOperation(start: edge, end: .end, rank: 1, value: .null, replacing: []),
      MarkOperation(start: .start, end: edge, rank: 1, value: .null, replacing: []),
      MarkOperation(start: .start, end: .end, rank: 1, value: .null, replacing: [unseen]),
    ]
    for mark in marks { #expect(refusal(change("bold", .mark(mark), in: text)) == .unseenDot) }
    for action in [
      Action.insert(value, side: .left), .removeRun(count: 1), .move(to: .start, replacing: []),
      .set(.null, replacing: [], clearing: nil), .increment(1, birth: 1),
    ] {
      #expect(refusal(change(.element(unseen), action)) == .unseenDot)
    }
    #expect(refusal(change(.element(Dot(writer, 1)), .removeRun(count: 1))) == .unseenDot)
    // Behind an insertion of its own, and beyond it.
    for action in [
      Action.move(to: edge, replacing: []), .move(to: .start, replacing: [unseen]), .removeRun(count: 2),
      .move(to: Edge(.left, of: Dot(writer, 2)), replacing: []),
    ] {
      var twice = change(.element(.origin), .insert(value, side: .right))
      twice.operations.append(Operation(object: list.id, key: .element(Dot(writer, 1)), action: action))
      #expect(refusal(twice) == .unseenDot)
    }
  }

  @Test func `is not one that comes to nothing`() {
    // A text in a list, an element of a map, an anchor that is no item though of this change.
    #expect(refusal(change(.element(.origin), .insert(.text(Scalars("a")), side: .right))) == nil)
    #expect(refusal(change(.element(.origin), .insert(value, side: .right), in: text)) == nil)
    var twice = change("a", .set(.null, replacing: [], clearing: nil))
    for action in [
      Action.insert(value, side: .left), .removeRun(count: 1), .move(to: .start, replacing: []),
      .set(.null, replacing: [], clearing: nil), .increment(1, birth: 2),
    ] {
      twice.operations.append(Operation(object: list.id, key: .element(Dot(writer, 1)), action: action))
    }
    #expect(refusal(twice) == nil)
  }
}

@Suite struct `A snapshot whose sequences contradict themselves` {
  private let list = ObjectID.derived(parent: .root, key: "list", kind: .list)
  private let text = ObjectID.derived(parent: .root, key: "text", kind: .text)

  /// A list of four elements, one of them moved, and a text with a mark and a removed scalar.
  private func sound() -> Snapshot {
    var group = Group(2)
    group.write(0) { document, patch in
      document.declare(.list, for: "list", in: .root)
      document.insert((0..<4).map { .integer($0) }, at: 0, in: list, patch: &patch)
      document.move(from: 0, to: 2, in: list, patch: &patch)
      document.declare(.text, for: "text", in: .root)
      document.insert("abcd", at: 0, in: text, patch: &patch)
      document.mark(1..<3, "bold", value: .bool(true), in: text, patch: &patch)
      document.removeItems(1..<2, in: text, patch: &patch)
    }
    return group.documents[0].snapshot()
  }

  private func isRefused(_ object: ObjectID, _ spoil: (inout Snapshot.Object) -> Void) -> Bool {
    var snapshot = sound()
    let place = snapshot.objects.firstIndex { $0.id == object }!
    spoil(&snapshot.objects[place])
    do throws(MergeError) {
      try Document(snapshot).checkInvariants()
      return false
    } catch {
      return error.code == .inconsistentSnapshot
    }
  }

  @Test func `is refused, and a sound one is not`() throws {
    #expect(!isRefused(list) { _ in } && !isRefused(text) { _ in })
    #expect(try Document(sound()).snapshot() == sound())
  }

  @Test func `has runs out of order, twice, or anchored on nothing`() {
    for object in [list, text] {
      #expect(isRefused(object) { $0.sequence!.runs.reverse() })
      #expect(isRefused(object) { $0.sequence!.runs.append($0.sequence!.runs[0]) })
      #expect(isRefused(object) { $0.sequence!.runs[0].anchor = Edge(.right, of: Dot(Group.replica(0), 400)) })
      #expect(isRefused(object) { $0.sequence!.runs[0].anchor = Edge(.left, of: .origin) })
      #expect(isRefused(object) { $0.sequence!.runs[0].first.counter = 400 })
      #expect(isRefused(object) { $0.sequence!.runs[0].first.counter = 0 })
      #expect(isRefused(object) { $0.sequence!.runs = [] })
      for place in 0..<2 { #expect(isRefused(object) { $0.sequence!.runs.remove(at: place) }) }
    }
  }

  @Test(arguments: [0, -1, 400, .max, .min])
  func `has counts that are none`(_ count: Int) {
    #expect(isRefused(list) { $0.sequence!.runs[0].content = .elements(count: count) })
    #expect(isRefused(text) { $0.sequence!.runs[0].content = .removed(count: count) })
    #expect(isRefused(text) { $0.sequence!.runs[0].content = .text(count: count) })
  }

  @Test func `has elements without slots, or slots without elements`() {
    #expect(isRefused(list) { $0.slots.removeLast() })
    #expect(isRefused(list) { $0.slots.removeFirst() })
    #expect(isRefused(list) { $0.sequence = nil })
    #expect(
      isRefused(text) { $0.slots = [Snapshot.Slot(key: .element(Dot(Group.replica(0), 6)), entries: [], shares: [])] })
    #expect(
      isRefused(list) {
        for place in $0.sequence!.runs.indices {
          if case .moved(_, let stamp) = $0.sequence!.runs[place].content {
            $0.sequence!.runs[place].content = .moved(element: Dot(Group.replica(0), 8), stamp: stamp)
          }
        }
      })
  }

  @Test(arguments: ["", "a", "ß", String(repeating: "a", count: 400)])
  func `has a text that is not as long as its runs`(_ other: String) {
    #expect(isRefused(text) { $0.sequence!.text = Scalars(other) })
  }

  @Test func `has content of another kind`() {
    #expect(isRefused(list) { $0.sequence!.runs[0].content = .text(count: 1) })
    #expect(isRefused(list) { $0.sequence!.text = Scalars("a") })
    #expect(isRefused(text) { $0.sequence!.runs[0].content = .elements(count: 1) })
    #expect(
      isRefused(text) {
        $0.sequence!.runs[0].content = .moved(element: Dot(Group.replica(0), 1), stamp: Stamp(rawValue: 0))
      })
    #expect(isRefused(list) { $0.sequence!.marks = self.sound().objects.compactMap(\.sequence).flatMap(\.marks) })
  }

  @Test func `has marks at no item, out of order, or that nobody made`() {
    #expect(isRefused(text) { $0.sequence!.marks[0].start = Edge(.left, of: Dot(Group.replica(0), 1)) })
    #expect(isRefused(text) { $0.sequence!.marks[0].end = Edge(.left, of: Dot(Group.replica(0), 400)) })
    #expect(isRefused(text) { $0.sequence!.marks[0].dot.counter = 400 })
    #expect(isRefused(text) { $0.sequence!.marks += $0.sequence!.marks })
    #expect(isRefused(text) { $0.sequence!.marks[0].name = .element(Dot(Group.replica(0), 1)) })
  }
}
