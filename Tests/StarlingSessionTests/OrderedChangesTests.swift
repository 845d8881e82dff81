import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `Changes that merged, some of them as rows` {
  private static let replica = ReplicaID(rawValue: 7)
  private static let entry = ObjectDefinition(parent: .root, key: "entry", kind: .map)

  /// Sets in a derived object, with a removal now and then.
  private static func changes(_ count: Int, removingEach step: Int, lengthMax: Int = 60) -> [Change] {
    var latest: [Key: Dot] = [:]
    return (1...count).map { number in
      let dot = Dot(replica, UInt64(number))
      let key = Key.name("key\(number % 5)")
      let replaced = latest[key].map { DotSet($0) } ?? DotSet()
      let isRemoval = number % step == 0
      latest[key] = isRemoval ? nil : dot
      let action =
        isRemoval
        ? Action.remove(replacing: replaced, clearing: nil)
        : .set(.string(String(repeating: "a", count: number % lengthMax)), replacing: replaced, clearing: nil)
      return Change(
        replica: replica, firstCounter: dot.counter, stamp: Stamp(rawValue: UInt64(number)), frontier: [],
        objects: [entry], operations: [Operation(object: entry.id, key: key, action: action)])
    }
  }

  private static func merged(_ parts: [Contribution]) -> OrderedChanges {
    var (changes, rows): ([Change], [OrderedChanges.Row]) = ([], [])
    for part in parts {
      if case .change(let change) = part {
        changes.append(change)
      } else {
        rows.append(OrderedChanges.Row(place: changes.count, part: part))
      }
    }
    return OrderedChanges(changes, rows)
  }

  @Test(arguments: [2, 3, 7, 700, 7000]) func `are published as they would be one by one`(step: Int) throws {
    let changes = Self.changes(5000, removingEach: step)
    let merged = Self.merged(try Batch.parts(of: Batch.encode(changes)))
    let isSame = merged.oneByOne == changes
    #expect(isSame && merged.changeCount == changes.count)
    #expect(!merged.rows.isEmpty)
    var (rows, single) = (OutgoingStream(topic: 1, number: 1), OutgoingStream(topic: 1, number: 1))
    let frames = rows.frames(of: merged)
    let isPublishedTheSame = frames == single.frames(of: OrderedChanges(changes))
    #expect(isPublishedTheSame && frames.count > 2)
    #expect(rows.position == single.position)
  }

  /// Also where a row is too much for one record.
  @Test(arguments: [60, 1000]) func `are recorded as they would be one by one`(lengthMax: Int) throws {
    let document = try #require(DocumentID("library"))
    let changes = Self.changes(5000, removingEach: 4200, lengthMax: lengthMax)
    var (encoder, rows, single) = (Batch.Encoder(), [LogRecord](), [LogRecord]())
    let parts = try Batch.parts(of: Batch.encode(changes))
    encoder.append(Self.merged(parts), of: document, to: &rows)
    for part in parts { encoder.append(OrderedChanges(part.changes), of: document, to: &single) }
    #expect(rows == single && parts.count == 4 && (lengthMax == 60) == (rows.count == parts.count))
  }

  @Test func `are told to mesh peers in rows where none of them brought any`() throws {
    let merged = Self.merged(try Batch.parts(of: Batch.encode(Self.changes(60, removingEach: 10))))
    var side = SideChanges()
    let ours = side.ours(of: merged, broughtBy: [])
    #expect(ours.rows.count == merged.rows.count && ours.oneByOne == merged.oneByOne)
  }

  @Test func `are not told to mesh peers where one brought them, all or some`() throws {
    let changes = Self.changes(60, removingEach: 10)
    let parts = try Batch.parts(of: Batch.encode(changes))
    let merged = Self.merged(parts)
    var side = SideChanges()
    #expect(side.ours(of: merged, broughtBy: parts).isEmpty)
    let others = side.ours(of: merged, broughtBy: [.change(changes[3])])
    #expect(others.oneByOne == changes.filter { $0.firstCounter != 4 })
  }

  @Test func `are not told to mesh peers where one brought them before, and they were held until now`() throws {
    let changes = Self.changes(60, removingEach: 100)
    let parts = try Batch.parts(of: Batch.encode(changes))
    let merged = Self.merged(parts)
    func version(_ counter: UInt64) -> VersionVector {
      VersionVector([VersionVector.Entry(replica: Self.replica, counter: counter)])
    }
    var side = SideChanges()
    side.noteHeld(parts, version: version(20))
    #expect(side.ours(of: merged, broughtBy: []).oneByOne == Array(changes.prefix(20)))
    side.noteHeld(parts, version: version(60))
    #expect(side.ours(of: merged, broughtBy: []).oneByOne == changes)
  }
}
