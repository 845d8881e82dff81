import StarlingTestSupport
import StarlingCore
import Testing

@Suite struct `A document's memory` {
  @Test func `takes 40 bytes for a slot with one entry`() {
    #expect(DocumentExtent.bytesPerSlot == 40)
  }

  @Test func `does not grow when one key is overwritten a hundred thousand times`() throws {
    var (writer, reader) = (Document(), Document())
    for round in 0..<100_000 {
      var (patch, received) = (Patch(), Patch())
      writer.begin(as: Group.replica(0), now: UInt64(round))
      writer.set(.integer(Int64(round)), for: "a", in: .root, patch: &patch)
      _ = try reader.merge(writer.commit()!, patch: &received)
    }
    for document in [writer, reader] {
      #expect(document.rowExtent.slots == 1 && document.rowExtent.keys == 1 && document.rowExtent.compounds == 0)
      #expect(document.rowExtent.objects == 1 && document.rowExtent.replicas == 1)
      #expect(document.frontier.count == 1)
      document.checkInvariants()
    }
  }

  @Test func `does not grow when a hundred thousand keys are added and removed`() throws {
    var (writer, reader) = (Document(), Document())
    for round in 0..<100_000 {
      var (patch, received) = (Patch(), Patch())
      let key = Key.name("key \(round)")
      writer.begin(as: Group.replica(0), now: UInt64(round))
      writer.set(.integer(Int64(round)), for: key, in: .root, patch: &patch)
      if round >= 16 { writer.remove(.name("key \(round - 16)"), in: .root, patch: &patch) }
      _ = try reader.merge(writer.commit()!, patch: &received)
    }
    for document in [writer, reader] {
      #expect(document.keyCount(in: .root) == 16)
      #expect(document.rowExtent.slots < 24)
      #expect(document.rowExtent.keys < 24)
      #expect(document.rowExtent.compounds == 0)
      #expect(document.rowExtent.values == 0)
      document.checkInvariants()
    }
  }

  @Test func `does not grow when objects of every sort come and go`() throws {
    var (writer, reader) = (Document(), Document())
    for round in 0..<3_000 {
      var (patch, received) = (Patch(), Patch())
      let key = Key.integer(Int64(round))
      writer.begin(as: Group.replica(0), now: UInt64(round))
      let model = writer.declare(.map, for: key, in: writer.declare(.dictionary, for: "models", in: .root))
      writer.set(.null, for: "title", in: model, patch: &patch)
      writer.increment("copies", in: model, by: 1, patch: &patch)
      let loan = writer.assignObject(.map, for: "loan", in: model, patch: &patch)
      writer.set(.null, for: .integer(Int64(-round)), in: loan, patch: &patch)
      writer.remove(key, in: .derived(parent: .root, key: "models", kind: .dictionary), patch: &patch)
      writer.undeclare(model)
      _ = try reader.merge(writer.commit()!, patch: &received)
    }
    for document in [writer, reader] {
      #expect(document.keyCount(in: .root) == 0)
      #expect(document.rowExtent.slots < 20)
      #expect(document.rowExtent.objects < 10)
      #expect(document.rowExtent.keys < 20)
      #expect(document.rowExtent.compounds < 10)
      #expect(document.rowCount.objects <= 3)
      document.checkInvariants()
    }
  }

  @Test func `does not grow when one patch hears of a slot that comes and goes`() {
    var (document, patch) = (Document(), Patch())
    document.begin(as: Group.replica(0), now: 1)
    document.set(.null, for: "a", in: .root, patch: &patch)
    patch = Patch()
    for _ in 0..<5_000 {
      document.remove("a", in: .root, patch: &patch)
      document.set(.null, for: "a", in: .root, patch: &patch)
      document.remove("a", in: .root, patch: &patch)
      document.set(.bool(true), for: "a", in: .root, patch: &patch)
    }
    #expect(patch.entries.count == 1)
    #expect(document.rowExtent.slots == 1)
    #expect(document.lingeringCount < 40)
    _ = document.commit()
  }

  @Test func `does not grow when states go back and forth`() throws {
    var documents = [Document(), Document()]
    for round in 0..<2_000 {
      let (here, there) = (round % 2, (round + 1) % 2)
      var patch = Patch()
      documents[here].begin(as: Group.replica(here), now: UInt64(round))
      documents[here].set(.integer(1), for: .integer(Int64(round)), in: .root, patch: &patch)
      documents[here].remove(.integer(Int64(round - 3)), in: .root, patch: &patch)
      _ = documents[here].commit()
      try documents[there].merge(documents[here].snapshot(), patch: &patch)
    }
    #expect(documents.allSatisfy { $0.rowExtent.slots < 12 && $0.rowExtent.keys < 12 })
    #expect(documents[0].digest() == documents[1].digest())
  }
}

@Suite struct `A handle index` {
  @Test(arguments: [UInt64.max, 0xff, 3, 0])
  func `finds what it holds and nothing else, however hashes collide`(_ mask: UInt64) {
    func hash(_ handle: Int) -> UInt64 {
      var generator = Dice(seed: UInt64(handle))
      return generator.next() & mask
    }
    var index = HandleIndex()
    var held: Set<Int> = []
    var generator = Dice(seed: 11)
    for _ in 0..<3_000 {
      let handle = Int.random(in: 0..<120, using: &generator)
      if held.remove(handle) != nil {
        index.remove(handle, hash: hash(handle), hashOf: hash)
      } else {
        index.insert(handle, hash: hash(handle), hashOf: hash)
        held.insert(handle)
      }
      let other = Int.random(in: 0..<120, using: &generator)
      #expect((index.find(hash: hash(other)) { $0 == other } != nil) == held.contains(other))
      #expect(index.count == held.count)
    }
    for handle in 0..<120 {
      #expect((index.find(hash: hash(handle)) { $0 == handle } != nil) == held.contains(handle))
    }
  }
}
