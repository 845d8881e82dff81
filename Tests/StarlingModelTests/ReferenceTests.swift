import StarlingModel
import StarlingModelTestSupport
import Testing

@Replicated final class Reader: Sendable {
  var name = "Nobody"
}

/// References in every place that takes values.
@Replicated final class Club: Sendable {
  var members: ReplicatedArray<Reader> = []
  var chair: ReplicatedReference<Reader> = nil
  var speakers: [ReplicatedReference<Reader>] = []
  var roles: [String: ReplicatedReference<Reader>] = [:]
  var queue: ReplicatedArray<ReplicatedReference<Reader>> = []
  var seats: ReplicatedDictionary<Int, ReplicatedReference<Reader>> = [:]
}

@Suite struct `References in collections` {
  let pair = Pair()

  private func readers(_ club: Club) -> [Reader] {
    let readers = ["Ada", "Grace", "Edsger"].map { name in
      let reader = Reader()
      reader.name = name
      return reader
    }
    for reader in readers { club.members.append(reader) }
    return readers
  }

  @Test func `lead to the same models on every replica`() throws {
    let (here, there) = try pair.models(Club.self)
    let readers = readers(here)
    here.speakers = readers.map { ReplicatedReference($0) }
    here.roles["treasurer"] = ReplicatedReference(readers[1])
    here.queue.append(ReplicatedReference(readers[2]))
    here.seats[7] = ReplicatedReference(readers[0])
    pair.exchange()
    #expect(there.speakers.map { $0.target?.name } == ["Ada", "Grace", "Edsger"])
    #expect(there.roles["treasurer"]?.target?.name == "Grace")
    #expect(there.queue.map { $0.target?.name } == ["Edsger"])
    #expect(there.seats[7]?.target === there.members[0])
    there.speakers[1].target?.name = "Grace H."
    pair.exchange()
    #expect(readers[1].name == "Grace H.")
  }

  @Test func `merge element by element and key by key`() throws {
    let (here, there) = try pair.models(Club.self)
    let readers = readers(here)
    here.speakers = [ReplicatedReference(readers[0])]
    pair.exchange()
    here.speakers.append(ReplicatedReference(readers[1]))
    there.speakers.insert(ReplicatedReference(there.members[2]), at: 0)
    here.roles["chair"] = ReplicatedReference(readers[0])
    there.roles["clerk"] = ReplicatedReference(there.members[2])
    pair.exchange()
    for club in [here, there] {
      #expect(club.speakers.map { $0.target?.name } == ["Edsger", "Ada", "Grace"])
      #expect(club.roles.mapValues { $0.target?.name } == ["chair": "Ada", "clerk": "Edsger"])
    }
  }

  @Test func `read as nil once their target is gone, and wake their readers`() throws {
    let (here, there) = try pair.models(Club.self)
    let readers = readers(here)
    here.speakers = readers.map { ReplicatedReference($0) }
    here.seats[7] = ReplicatedReference(readers[0])
    pair.exchange()
    let speakers = Watch { there.speakers.map { $0.target?.name } }
    let seat = Watch { there.seats[7]?.target?.name }
    here.members.remove(at: 0)
    pair.exchange()
    #expect(speakers.seen == [["Ada", "Grace", "Edsger"], [nil, "Grace", "Edsger"]])
    #expect(seat.seen == ["Ada", nil])
  }

  @Test func `are refused, and nothing written, where the model stands in no document`() throws {
    let incidents = Incidents()
    let (here, there) = try pair.models(Club.self)
    here.speakers = [ReplicatedReference(Reader())]
    here.roles["chair"] = ReplicatedReference(Reader())
    here.queue.append(ReplicatedReference(Reader()))
    here.seats[1] = ReplicatedReference(Reader())
    pair.exchange()
    #expect(there.speakers.isEmpty && there.roles.isEmpty && there.queue.isEmpty && there.seats.count == 0)
    #expect(here.queue.isEmpty && here.seats.count == 0)
    #expect(incidents.contains { "\($0)".contains("Reader") })
  }

  @Test func `tell of a conflict with both targets`() throws {
    let (here, there) = try pair.models(Club.self)
    let readers = readers(here)
    pair.exchange()
    here.chair = ReplicatedReference(readers[0])
    there.chair = ReplicatedReference(there.members[1])
    pair.exchange()
    #expect(Set(here.conflicts(of: \.chair).map { $0.value.target?.name }) == ["Ada", "Grace"])
    #expect(
      here.conflicts(of: \.chair).map { $0.value.target?.name }
        == there.conflicts(of: \.chair).map { $0.value.target?.name })
  }
}
