import StarlingCore
import StarlingEngine
import StarlingModel
import StarlingModelTestSupport
import StarlingTestSupport
import Testing

@Replicated final class BoardTicket: Sendable {
  var title = ""
  var votes: ReplicatedCounter = 0
  var parts: [BoardTicket] = []
}

@Replicated final class Lane: Sendable {
  var title = ""
  var tickets: [BoardTicket] = []
  var fast: ReplicatedArray<BoardTicket> = []
  var pinned: BoardTicket?
}

@Replicated final class Kanban: Sendable {
  var lanes: [Lane] = []
  var byName: ReplicatedDictionary<String, BoardTicket> = [:]
  var review: ReplicatedReference<BoardTicket> = nil
}

@Suite struct `A model that is put somewhere else` {
  let pair = Pair()

  /// Two lanes; tickets of these titles stand in the first.
  private func board(_ titles: String...) throws -> (here: Kanban, there: Kanban) {
    let (here, there) = try pair.models(Kanban.self)
    here.lanes = ["to do", "done"].map { title in
      let lane = Lane()
      lane.title = title
      return lane
    }
    here.lanes[0].tickets = titles.map { title in
      let ticket = BoardTicket()
      ticket.title = title
      return ticket
    }
    pair.exchange()
    return (here, there)
  }

  private func titles(_ board: Kanban) -> [[String]] { board.lanes.map { $0.tickets.map(\.title) } }

  @Test func `takes nothing along that arrives behind it at the same time`() throws {
    let (here, there) = try board("a", "b")
    here.lanes[1].tickets.append(here.lanes[0].tickets[0])
    pair.exchange()
    there.lanes[0].tickets.append(there.lanes[1].tickets[0])
    func takeLast(_ tickets: inout [BoardTicket]) -> BoardTicket {
      // As the engine does, on a thread of its own.
      onThread { pair.exchange() }.wait()
      return tickets.removeLast()
    }
    withTransaction { here.lanes[1].tickets.append(takeLast(&here.lanes[0].tickets)) }
    pair.exchange()
    for board in [here, there] { #expect(titles(board) == [["a"], ["b"]]) }
  }

  @Test func `is removed and appended in one transaction, and stays the same on every replica`() throws {
    let (here, there) = try board("a", "b")
    let (mine, theirs) = (here.lanes[0].tickets[0], there.lanes[0].tickets[0])
    withTransaction { here.lanes[1].tickets.append(here.lanes[0].tickets.remove(at: 0)) }
    #expect(titles(here) == [["b"], ["a"]])
    #expect(here.lanes[1].tickets[0] === mine)
    theirs.title = "a, edited here"
    theirs.votes += 1
    mine.votes += 1
    pair.exchange()
    for board in [here, there] {
      #expect(titles(board) == [["b"], ["a, edited here"]])
      #expect(board.lanes[1].tickets[0].votes == 2)
    }
    #expect(there.lanes[1].tickets[0] === theirs)
    theirs.title = "still alive"
    pair.exchange()
    #expect(mine.title == "still alive")
  }

  @Test func `is only appended, and leaves where it stood`() throws {
    let (here, there) = try board("a", "b")
    let ticket = here.lanes[0].tickets[0]
    here.lanes[1].tickets.append(ticket)
    #expect(titles(here) == [["b"], ["a"]])
    pair.exchange()
    #expect(titles(there) == [["b"], ["a"]])
  }

  @Test func `goes between arrays, element lists, dictionaries and properties`() throws {
    let (here, there) = try board("a", "b")
    let ticket = here.lanes[0].tickets[0]
    let steps: [(Kanban) -> [String?]] = [
      { [$0.lanes[0].fast.first?.title] }, { [$0.lanes[1].pinned?.title] }, { [$0.byName["x"]?.title] },
      { [$0.lanes[1].fast.first?.title] }, { [$0.lanes[0].tickets.last?.title] },
    ]
    let moves: [() -> Void] = [
      { here.lanes[0].fast.append(ticket) }, { here.lanes[1].pinned = ticket }, { here.byName["x"] = ticket },
      { here.lanes[1].fast.insert(ticket, at: 0) }, { here.lanes[0].tickets.append(ticket) },
    ]
    for (place, move) in moves.enumerated() {
      move()
      pair.exchange()
      for board in [here, there] {
        for (other, shown) in steps.enumerated() where other != 4 || place == 4 {
          #expect(shown(board) == [other == place ? "a" : nil], "step \(place), at place \(other)")
        }
        #expect(board.lanes[0].tickets.map(\.title) == (place == 4 ? ["b", "a"] : ["b"]))
      }
    }
    #expect(there.lanes[0].tickets[1].title == "a")
    ticket.title = "c"
    pair.exchange()
    #expect(there.lanes[0].tickets[1].title == "c")
  }

  @Test func `stands at one place, the same everywhere, where two replicas put it to two`() throws {
    let (here, there) = try board("a", "b")
    here.lanes[1].tickets.append(here.lanes[0].tickets[0])
    there.byName["x"] = there.lanes[0].tickets[0]
    pair.exchange()
    #expect(titles(here) == titles(there))
    #expect(here.byName["x"]?.title == there.byName["x"]?.title)
    #expect((here.lanes[1].tickets.count == 1) != (here.byName["x"] != nil))
    #expect(here.lanes[0].tickets.map(\.title) == ["b"])
  }

  @Test func `crosses another one that goes into it, and neither is lost`() throws {
    let (here, there) = try board("a", "b")
    here.lanes[0].tickets[0].parts.append(here.lanes[0].tickets[1])
    there.lanes[0].tickets[1].parts.append(there.lanes[0].tickets[0])
    pair.exchange()
    for board in [here, there] {
      #expect(board.lanes[0].tickets.count == 1)
      let outer = board.lanes[0].tickets[0]
      #expect(outer.parts.count == 1 && outer.parts.first?.parts.isEmpty == true)
    }
    #expect(titles(here) == titles(there))
  }

  @Test func `survives that the lane it left, or the one it went to, is removed at the same time`() throws {
    let (here, there) = try board("a", "b")
    here.lanes[1].tickets.append(here.lanes[0].tickets[0])
    there.lanes.remove(at: 1)
    pair.exchange()
    for board in [here, there] { #expect(board.lanes.map { $0.tickets.map(\.title).sorted() } == [["a", "b"]]) }
    let (third, fourth) = try board("a", "b")
    third.lanes[1].tickets.append(third.lanes[0].tickets[0])
    fourth.lanes.remove(at: 0)
    pair.exchange()
    for board in [third, fourth] { #expect(board.lanes.map { $0.tickets.map(\.title) } == [["a"]]) }
  }

  @Test func `is refused in itself, and nothing is written`() throws {
    let (here, _) = try board("a", "b")
    let incidents = Incidents()
    let (outer, inner) = (here.lanes[0].tickets[0], here.lanes[0].tickets[1])
    outer.parts.append(inner)
    _ = pair.here.handle.takeOutbox()
    inner.parts.append(outer)
    outer.parts.append(outer)
    #expect(pair.here.handle.takeOutbox().isEmpty)
    #expect(inner.parts.isEmpty && outer.parts.count == 1)
    #expect(incidents.contains { if case .movedIntoItself = $0 { true } else { false } })
  }

  @Test func `is gone where a transaction takes it away and puts it nowhere`() throws {
    let (here, there) = try board("a", "b")
    let incidents = Incidents()
    let ticket = here.lanes[0].tickets[0]
    withTransaction {
      here.lanes[0].tickets.remove(at: 0)
      here.lanes[1].title = "ready"
    }
    pair.exchange()
    #expect(titles(there) == [["b"], []])
    ticket.title = "nobody hears this"
    #expect(incidents.contains { if case .writeToRemoved = $0 { true } else { false } })
    here.lanes[1].tickets.append(ticket)
    #expect(titles(here) == [["b"], []])
    #expect(incidents.contains { if case .placedAfterRemoval = $0 { true } else { false } })
  }

  @Test func `wakes the readers of where it stood and of where it stands, once, and no others`() throws {
    let (here, there) = try board("a", "b")
    let (left, right) = (there.lanes[0], there.lanes[1])
    let ticket = left.tickets[1]
    let from = Watch { left.tickets.count }
    let to = Watch { right.tickets.count }
    let title = Watch { ticket.title }
    let lanes = Watch { there.lanes.count }
    let mine = Watch { here.lanes[0].tickets.count }
    withTransaction { here.lanes[1].tickets.append(here.lanes[0].tickets.remove(at: 1)) }
    pair.exchange()
    #expect(from.seen == [2, 1] && to.seen == [0, 1])
    #expect(title.seen == ["b"] && lanes.seen == [2])
    #expect(mine.seen == [2, 1])
  }

  @Test func `knows what it stands in`() throws {
    let (here, there) = try board("a", "b")
    let ticket = there.lanes[0].tickets[0]
    let lane = Watch { ticket.ancestor(as: Lane.self)?.title }
    #expect(lane.seen == ["to do"])
    here.lanes[1].tickets.append(here.lanes[0].tickets[0])
    pair.exchange()
    #expect(ticket.ancestor(as: Lane.self)?.title == "done")
    #expect(ticket.ancestor(as: Kanban.self) === there)
  }

  @Test func `is still meant by references`() throws {
    let (here, there) = try board("a", "b")
    here.review = ReplicatedReference(here.lanes[0].tickets[0])
    pair.exchange()
    here.lanes[1].fast.append(here.lanes[0].tickets[0])
    pair.exchange()
    #expect(there.review.target === there.lanes[1].fast[0])
    #expect(there.review.target?.title == "a")
  }

  @Test func `goes back when the move is undone`() throws {
    let (here, there) = try board("a", "b")
    let undo = pair.here.space.undoManager()
    here.lanes[1].tickets.append(here.lanes[0].tickets[0])
    pair.exchange()
    there.lanes[1].tickets[0].title = "edited there"
    pair.exchange()
    try undo.undo()
    pair.exchange()
    for board in [here, there] { #expect(titles(board) == [["edited there", "b"], []]) }
  }

  @Test func `moves into a model that is on its own once that enters the document`() throws {
    let (here, there) = try pair.models(Thing.self, named: "thing")
    for name in ["a", "b", "c", "d", "e"] {
      let thing = Thing()
      thing.name = name
      here.list.append(thing)
    }
    pair.exchange()
    let held = here.list.map { $0 }
    let names = Watch { here.list.map(\.name) }
    let folder = Thing()
    folder.name = "folder"
    folder.child = held[0]
    folder.list.append(Thing())
    folder.list.append(held[1])
    folder.dictionary["c"] = held[2]
    folder.models = [held[3], Thing()]
    here.list.insert(folder, at: 2)
    #expect(names.seen == [["a", "b", "c", "d", "e"], ["folder", "e"]])
    // One change: nobody sees it in part.
    let changes = pair.here.handle.takeOutbox()
    #expect(changes.count == 1)
    pair.there.handle.merge(changes)
    for side in [here, there] {
      let folder = try #require(side.list.first)
      #expect(folder.child?.name == "a" && folder.list.map(\.name) == ["", "b"] && folder.dictionary["c"]?.name == "c")
      #expect(folder.models.map(\.name) == ["d", ""] && side.list.count == 2)
    }
    #expect(folder.list[1] === held[1] && folder.child === held[0])
    held[0].name = "A"
    there.list[0].list[1].text.append("heard")
    pair.exchange()
    #expect(there.list[0].child?.name == "A" && held[1].text.string == "heard")
    // What is in the document no more cannot stand there, and is not shown.
    let (other, gone) = (Thing(), held[4])
    here.list.remove(at: 1)
    (other.child, other.models) = (gone, [gone])
    other.list.append(gone)
    other.dictionary["e"] = gone
    here.list.append(other)
    pair.exchange()
    #expect(other.child == nil && other.models.isEmpty && other.list.isEmpty && other.dictionary["e"] == nil)
    #expect(there.list[1].shown == other.shown)
  }

  @Test func `enters the document once, also where models on their own hold each other in circles`() throws {
    let (here, there) = try pair.models(Thing.self, named: "thing")
    let circle = (0..<30).map { _ in Thing() }
    for thing in circle {
      thing.models = circle
      for other in circle { thing.list.append(other) }
      thing.dictionary["next"] = circle[0]
      thing.child = circle[1]
    }
    let incidents = Incidents()
    here.list.append(circle[0])
    #expect(incidents.contains { if case .attachedTwice(type: "Thing") = $0 { true } else { false } })
    pair.exchange()
    #expect(here.shown == there.shown && here.shown.count(where: { $0 == "<" }) == 31)
  }

  @Test func `does not go into what is derived from it, also where that holds nothing yet`() throws {
    let (here, there) = try pair.models(Thing.self, named: "thing")
    let thing = Thing()
    _ = thing.dictionary.model(for: "in it")
    here.dictionary["a"] = thing
    pair.exchange()
    for side in [here, there] {
      let incidents = Incidents()
      let outer = try #require(side.dictionary["a"])
      let inner = try #require(outer.dictionary["in it"])
      inner.dictionary["out"] = outer
      inner.child = outer
      inner.nested.list.append(outer)
      inner.models = [outer]
      #expect(inner.dictionary.isEmpty && inner.child == nil && inner.nested.list.isEmpty && inner.models.isEmpty)
      #expect(incidents.contains { if case .movedIntoItself(type: "Thing") = $0 { true } else { false } })
      pair.exchange()
      #expect(here.shown == there.shown && side.dictionary["a"] === outer)
    }
  }

  @Test func `stays in a model on its own that is refused`() throws {
    let (here, _) = try pair.models(Thing.self, named: "thing")
    for _ in 0..<2 { here.list.append(Thing()) }
    let held = here.list.map { $0 }
    let folder = Thing()
    folder.list.append(held[0])
    folder.dictionary["b"] = held[1]
    folder.name = String(repeating: "x", count: ChangeLimits.byteCountMax + 1)
    here.list.append(folder)
    #expect(here.list.count == 2 && folder.list.first === held[0] && folder.dictionary["b"] === held[1])
    folder.name = "folder"
    here.list.append(folder)
    #expect(here.list.count == 1 && folder.list.first === held[0] && folder.dictionary["b"] === held[1])
  }

  @Test func `is not taken for what was made after it was taken back`() throws {
    let (here, there) = try pair.models(Thing.self, named: "thing")
    struct Back: Error {}
    let (first, second) = (Thing(), Thing())
    (first.name, second.name) = ("first", "second")
    try? withTransaction {
      here.list.append(first)
      throw Back()
    }
    // In the document it is named as the first one was.
    here.list.append(second)
    let incidents = Incidents()
    here.child = first
    #expect(incidents.contains { if case .placedAfterRemoval(type: "Thing") = $0 { true } else { false } })
    pair.exchange()
    #expect(here.child == nil && here.list[0] === second && there.shown == here.shown)
  }

  @Test func `is the instance that it was where somebody removed it while another moved it`() throws {
    let (here, there) = try pair.models(Thing.self, named: "thing")
    let first = Thing()
    first.text.append("text")
    first.nested.list.append(Thing())
    first.nested.list[0].name = "within"
    here.list.append(first)
    here.dictionary["a"] = Thing()
    pair.exchange()
    let far = there.list[0]
    here.list.remove(at: 0)
    let within = first.nested.list[0]
    there.child = far
    far.name = "moved"
    far.text.append(", moved")
    pair.exchange()
    #expect(here.child === first && first.name == "moved" && first.text.string == "text, moved")
    #expect(first.nested.list[0] === within && within.name == "within")
    far.list.append(Thing())
    first.text.insert("one ", at: 0)
    here.dictionary["a"]?.child = first
    pair.exchange()
    #expect(here.shown == there.shown && there.dictionary["a"]?.child === far && far.text.string == "one text, moved")
    #expect(first.list.count == 1)
  }

  @Test(arguments: 1...20) func `is neither lost nor doubled, whatever two people draw`(seed: Int) throws {
    let (here, there) = try board("a", "b", "c", "d", "e", "f")
    var dice = UInt64(seed)
    func roll(_ count: Int) -> Int {
      dice = dice &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((dice >> 33) % UInt64(count))
    }
    here.lanes.append(Lane())
    pair.exchange()
    for step in 0..<200 {
      for board in [here, there] where roll(3) > 0 {
        let from = board.lanes[roll(3)]
        guard !from.tickets.isEmpty else { continue }
        let to = board.lanes.filter { $0 !== from }[roll(2)]
        let place = roll(from.tickets.count)
        if roll(2) == 0 {
          withTransaction { to.tickets.append(from.tickets.remove(at: place)) }
        } else {
          to.tickets.insert(from.tickets[place], at: 0)
        }
      }
      if roll(3) == 0 { pair.exchange() }
      for board in [here, there] {
        let all = board.lanes.flatMap { $0.tickets.map(\.title) }.sorted()
        guard all == ["a", "b", "c", "d", "e", "f"] else {
          Issue.record("\(all) after step \(step), seed \(seed)")
          return
        }
      }
    }
    pair.exchange()
    #expect(titles(here) == titles(there))
  }
}
