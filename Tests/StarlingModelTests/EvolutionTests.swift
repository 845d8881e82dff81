import StarlingCore
import StarlingEngine
import StarlingModel
import StarlingModelTestSupport
import Testing

/// What an earlier version of a program knows of a document.
@Replicated final class OldNote: Sendable {
  var name = ""
  var reads: ReplicatedCounter = 0
  var labels: Set<String> = []
  var writer = Author()
  var helper: Author?
  var places: ReplicatedDictionary<String, Int> = [:]
  var weight = 0
  var size = ""
  var marks: [String: Int] = [:]
  var codes: ReplicatedDictionary<String, Int> = [:]
  var shape = Size()
  var colour = ""
}

/// What a later version knows of it.
@Replicated final class NewNote: Sendable {
  @Renamed(from: "name") @Renamed(from: "caption") var title = "Untitled"
  @Renamed(from: "reads") var visits: ReplicatedCounter = 0
  @Renamed(from: "labels") var tags: Set<String> = []
  @Renamed(from: "writer") var author = Author()
  @Renamed(from: "helper") var editor: Author?
  @Renamed(from: "places") var cities: ReplicatedDictionary<String, Int> = [:]
  var weight = 0.5
  var size = 1
  var marks: [String: String] = [:]
  var codes: ReplicatedDictionary<String, String> = [:]
  var shape = ReplicatedRecord(Extent())
  var colour: Set<String> = []
}

/// A version in between.
@Replicated final class MiddleNote: Sendable {
  @Renamed(from: "name") var caption = ""
}

@ReplicatedFields struct Extent: Equatable, Sendable {
  @Renamed(from: "breadth") var width = 0
  var height = 0
}

@ReplicatedFields struct OldExtent: Equatable, Sendable {
  var breadth = 0
  var height = 0
}

@Replicated final class OldBox: Sendable {
  var extent = ReplicatedRecord(OldExtent())
}

@Replicated final class NewBox: Sendable {
  var extent = ReplicatedRecord(Extent())
}

/// A replica that runs one version of the program, and one that runs another.
private func programs<Old: ReplicatedModel & Sendable, New: ReplicatedModel & Sendable>(
  _ pair: Pair, _ old: Old.Type = OldNote.self, _ new: New.Type = NewNote.self
) throws -> (Old, New) {
  (
    try pair.here.space.model(old, named: "front-desk", isolation: nil),
    try pair.there.space.model(new, named: "front-desk", isolation: nil)
  )
}

@Suite struct `A renamed property` {
  let pair = Pair()

  @Test func `shows what was written under its former name`() throws {
    let (old, new) = try programs(pair)
    let title = Watch { new.title }
    old.name = "Dune"
    pair.exchange()
    #expect(title.seen == ["Untitled", "Dune"])
    new.title = "Dune"
    #expect(pair.there.handle.takeOutbox().isEmpty)
  }

  @Test func `takes its value along when it is written`() throws {
    let (old, new) = try programs(pair)
    old.name = "Dune"
    pair.exchange()
    new.title = "Emma"
    pair.exchange()
    #expect(new.title == "Emma")
    #expect(old.name == "")
    #expect(new.conflicts(of: \.title).isEmpty)
    let again = try pair.here.space.model(NewNote.self, named: "other", isolation: nil)
    #expect(again.title == "Untitled")
  }

  @Test func `keeps its value under the former name where a larger one is refused`() throws {
    let incidents = Incidents()
    let (old, new) = try programs(pair)
    old.name = "Dune"
    pair.exchange()
    new.title = String(repeating: "x", count: 17 << 20)
    #expect(incidents.contains { if case .oversized = $0 { true } else { false } })
    pair.exchange()
    #expect(new.title == "Dune")
    #expect(old.name == "Dune")
  }

  @Test func `keeps what both programs wrote at once, the later one visible to all who know both names`() throws {
    for oldIsLater in [false, true] {
      let pair = Pair()
      let (old, new) = try programs(pair)
      old.name = "Dune"
      pair.exchange()
      // Each write takes a later stamp of its own replica's clock.
      if oldIsLater { for number in 0..<5 { old.weight = number } }
      old.name = "Dune II"
      if !oldIsLater { for number in 0..<5 { new.size = number } }
      let count = Watch { new.conflicts(of: \.title).count }
      new.title = "Emma"
      pair.exchange()
      #expect(new.title == (oldIsLater ? "Dune II" : "Emma"))
      #expect(Set(new.conflicts(of: \.title).map(\.value)) == ["Dune II", "Emma"])
      #expect(new.conflicts(of: \.title).first?.value == new.title)
      #expect(count.seen.last == 2)
      let title = new.title
      new.title = title
      #expect(new.conflicts(of: \.title).isEmpty)
      #expect(count.seen.last == 0)
      pair.exchange()
      #expect(old.name == "")
    }
  }

  @Test func `of three versions shows the latest write of any`() throws {
    let (old, new) = try programs(pair)
    let third = Pair.Replica(3)
    let middle = try third.space.model(MiddleNote.self, named: "front-desk", isolation: nil)
    old.name = "Dune"
    let changes = pair.here.handle.takeOutbox()
    third.handle.merge(changes)
    pair.there.handle.merge(changes)
    #expect(middle.caption == "Dune")
    middle.caption = "Emma"
    let others = third.handle.takeOutbox()
    pair.here.handle.merge(others)
    pair.there.handle.merge(others)
    #expect(new.title == "Emma")
    #expect(old.name == "")
    new.title = "Persuasion"
    pair.exchange()
    #expect(old.name == "")
    #expect(new.title == "Persuasion")
  }

  @Test func `adds up what was counted under both names`() throws {
    let (old, new) = try programs(pair)
    old.reads += 2
    new.visits += 3
    pair.exchange()
    #expect(new.visits == 5)
    old.reads += 1
    new.visits = 10
    pair.exchange()
    #expect(new.visits == 11)
    #expect(old.reads == 3)
  }

  @Test func `that has an identity is shared by both programs`() throws {
    let (old, new) = try programs(pair)
    old.writer.name = "Ada"
    old.labels = ["a", "b"]
    old.places["Rome"] = 1
    pair.exchange()
    #expect(new.author.name == "Ada")
    #expect(new.tags == ["a", "b"])
    #expect(new.cities["Rome"] == 1)
    let tags = Watch { new.tags }
    new.author.name = "Grace"
    new.tags.remove("a")
    new.cities["Oslo"] = 2
    old.labels.insert("c")
    pair.exchange()
    #expect(old.writer.name == "Grace")
    #expect(old.labels == ["b", "c"])
    #expect(old.places.keys == ["Oslo", "Rome"])
    #expect(new.tags == ["b", "c"])
    #expect(tags.seen.last == ["b", "c"])
  }

  @Test func `that holds a model shows it, and another one in its place`() throws {
    let (old, new) = try programs(pair)
    let helper = Author()
    helper.name = "Ada"
    old.helper = helper
    pair.exchange()
    #expect(new.editor?.name == "Ada")
    let editor = Author()
    editor.name = "Grace"
    new.editor = editor
    pair.exchange()
    #expect(old.helper == nil)
    #expect(new.editor === editor)
    new.editor = nil
    pair.exchange()
    #expect(new.editor == nil)
  }

  @Test func `of a record is read and written like one of a model`() throws {
    let (old, new) = try programs(pair, OldBox.self, NewBox.self)
    let width = Watch { new.extent.width }
    old.extent.breadth = 3
    pair.exchange()
    #expect(width.seen == [0, 3])
    new.extent.width = 4
    new.extent.height = 5
    pair.exchange()
    #expect(new.extent.value == Extent(width: 4, height: 5))
    #expect(old.extent.value == OldExtent(breadth: 0, height: 5))
  }
}

@Suite struct `A property whose type has changed` {
  let pair = Pair()

  @Test func `reads as the default, is reported, and stays as it is until it is written`() throws {
    let incidents = Incidents()
    let (old, new) = try programs(pair)
    old.size = "large"
    pair.exchange()
    #expect(new.size == 1)
    let object = ObjectID.derived(parent: .root, key: "front-desk", kind: .map)
    let unreadable = UnreadableValue(
      document: pair.there.handle.id, object: object, key: "size", found: "a text", expected: "Int",
      property: "NewNote.size")
    #expect(pair.there.space.unreadableValues == [unreadable])
    #expect(incidents.contains { $0 == .unreadable(unreadable) })
    #expect(pair.there.handle.takeOutbox().isEmpty)
    old.size = "small"
    pair.exchange()
    #expect(old.size == "small")
    new.size = 2
    #expect(pair.there.space.unreadableValues == [unreadable])
    pair.exchange()
    #expect(pair.here.space.unreadableValues.map(\.found) == ["an integer"])
    #expect(old.size == "")
  }

  @Test func `from an integer to a floating-point number reads what that can hold exactly`() throws {
    let (old, new) = try programs(pair)
    old.weight = 3
    pair.exchange()
    #expect(new.weight == 3)
    old.weight = 1 << 53 + 1
    pair.exchange()
    #expect(new.weight == 0.5)
    #expect(pair.there.space.unreadableValues.map(\.expected) == ["Double"])
    old.weight = 4
    pair.exchange()
    #expect(new.weight == 4)
    #expect(pair.there.space.unreadableValues.isEmpty)
  }

  @Test func `of a dictionary's values leaves those entries alone`() throws {
    let (old, new) = try programs(pair)
    old.marks = ["a": 1]
    old.codes["a"] = 1
    pair.exchange()
    #expect(new.marks.isEmpty)
    #expect(new.codes.isEmpty)
    #expect(Set(pair.there.space.unreadableValues.map(\.key)) == ["a"])
    #expect(pair.there.space.unreadableValues.count == 2)
    new.marks["b"] = "two"
    new.codes["b"] = "two"
    pair.exchange()
    #expect(old.marks == ["a": 1])
    #expect(old.codes["a"] == 1)
    #expect(new.marks == ["b": "two"])
    #expect(new.codes.keys == ["b"])
  }

  @Test func `from a whole struct to a record, or from a value to a set, is reported`() throws {
    let (old, new) = try programs(pair)
    old.shape = Size(width: 3, height: 4)
    old.colour = "red"
    pair.exchange()
    #expect(new.shape.value == Extent())
    #expect(new.colour.isEmpty)
    #expect(Set(pair.there.space.unreadableValues.map(\.found)) == ["JSON", "a text"])
    new.shape.width = 1
    new.colour.insert("blue")
    pair.exchange()
    #expect(old.shape == Size(width: 3, height: 4))
    #expect(old.colour == "red")
    #expect(new.shape.width == 1)
    #expect(new.colour == ["blue"])
  }

  @Test func `is forgotten with the model that read it`() throws {
    var new: NewNote? = try pair.there.space.model(NewNote.self, named: "front-desk", isolation: nil)
    let old = try pair.here.space.model(OldNote.self, named: "front-desk", isolation: nil)
    old.size = "large"
    pair.exchange()
    #expect(pair.there.space.unreadableValues.count == 1)
    withExtendedLifetime(new) {}
    new = nil
    #expect(pair.there.space.unreadableValues.isEmpty)
  }
}

@Suite struct `A property that a program does not know` {
  @Test func `and a value of a later version survive its writes`() throws {
    let pair = Pair()
    let (old, new) = try programs(pair)
    let object = ObjectID.derived(parent: .root, key: "front-desk", kind: .map)
    let unknown = Value.unknown(tag: 77, payload: [1, 2, 3])
    pair.here.handle.write { document, patch in
      document.declare(.map, for: "front-desk", in: .root)
      let later = document.declare(.later5, for: "marks", in: object)
      document.set(.integer(1), for: "a", in: later, patch: &patch)
      document.set(unknown, for: "size", in: object, patch: &patch)
    }
    pair.exchange()
    #expect(
      Set(pair.there.space.unreadableValues.map(\.found))
        == ["a value of kind 77, of a later version", "an object of a later version"])
    new.marks["b"] = "two"
    new.weight = 2
    pair.exchange()
    for replica in [pair.here, pair.there] {
      replica.handle.read { document in
        let later = ObjectID.derived(parent: object, key: "marks", kind: .later5)
        #expect(document.visible("size", in: object) == .value(unknown, by: Dot(ReplicaID(rawValue: 1), 2)))
        #expect(document.visible("a", in: later) == .value(.integer(1), by: Dot(ReplicaID(rawValue: 1), 1)))
      }
    }
    #expect(new.marks == ["b": "two"])
    withExtendedLifetime(old) {}
  }

  @Test func `survives its writes`() throws {
    let pair = Pair()
    let (old, new) = try programs(pair, MiddleNote.self, NewNote.self)
    new.size = 7
    new.author.name = "Ada"
    pair.exchange()
    old.caption = "Dune"
    pair.exchange()
    #expect(new.size == 7)
    #expect(new.author.name == "Ada")
    #expect(new.title == "Dune")
  }
}
