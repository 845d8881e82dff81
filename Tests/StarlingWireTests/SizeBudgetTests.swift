import StarlingCore
import StarlingWire
import Testing

/// The bytes that a session pays, over the workload by which other systems were measured.
@Suite struct `A set of a known slot` {
  /// A stream in which every key was written before.
  private func warmStream() -> (Workload, LiveEncoder) {
    var workload = Workload()
    var encoder = LiveEncoder()
    var spent: [UInt8] = []
    for _ in 0..<20_000 { encoder.encode(workload.change(after: 1), into: &spent) }
    return (workload, encoder)
  }

  @Test(arguments: [0, 1, 20, 1000, 16_000] as [UInt64])
  func `costs 12 bytes at most by one writer`(milliseconds: UInt64) {
    var (workload, encoder) = warmStream()
    for _ in 0..<2000 {
      var payload: [UInt8] = []
      encoder.encode(workload.change(after: milliseconds), into: &payload)
      #expect(payload.count <= 12)
    }
  }

  @Test func `costs 3 more for each further entry of the frontier`() {
    let others = (1...4).map { ReplicaID(rawValue: $0) }
    for count in 1...4 {
      var (workload, encoder) = warmStream()
      for round in 1...1000 as ClosedRange<UInt64> {
        let frontier = others.prefix(count).map { Dot($0, 50 * round) }
        var payload: [UInt8] = []
        encoder.encode(workload.change(after: 20, frontier: frontier), into: &payload)
        if round > 1 { #expect(payload.count <= 12 + 3 * count) }
      }
    }
  }

  @Test func `costs 24 bytes at most with topic, stream and sequence`() {
    var (workload, encoder) = warmStream()
    for sequence in 20_000..<22_000 as Range<UInt64> {
      var frame: [UInt8] = []
      PublishedFrame.appendHeader(topic: .max, stream: .max, sequence: sequence, to: &frame)
      encoder.encode(workload.change(after: 20), into: &frame)
      #expect(frame.count <= 24)
    }
  }

  @Test func `costs 13 bytes at most where 64 share a frame`() {
    var (workload, encoder) = warmStream()
    for sequence in 20_000..<20_100 as Range<UInt64> {
      var frame: [UInt8] = []
      PublishedFrame.appendHeader(topic: .max, stream: .max, sequence: sequence, to: &frame)
      for place in 0..<64 { encoder.encode(workload.change(after: place == 0 ? 20 : 0), into: &frame) }
      #expect(frame.count <= 13 * 64)
    }
  }

  @Test func `leaves no more state than its key`() {
    for count in [50_000, 100_000] {
      var workload = Workload()
      for number in 0..<count { _ = workload.change(after: number % 400 == 0 ? 1 : 0) }
      #expect(SnapshotCoding.encode(workload.snapshot).count <= 12_600)
    }
  }
}

@Suite struct `A hundred thousand keys written at once` {
  @Test func `take less than 4 bytes each`() throws {
    let stamp = Stamp(milliseconds: 1_700_000_000_000)
    let slots = (0..<100_000).map { number in
      let value: Value = number % 2 == 1 ? .integer(Int64(number)) : .string("value\(number)")
      return Snapshot.Slot(
        key: .name("key\(number)"),
        entries: [Entry(dot: Dot(Workload.writer, UInt64(number + 1)), stamp: stamp, value: value)], shares: [])
    }
    let snapshot = Snapshot(
      version: VersionVector([VersionVector.Entry(replica: Workload.writer, counter: 100_000)]),
      frontier: [Dot(Workload.writer, 100_000)], latestStamp: stamp,
      objects: [Snapshot.Object(id: .root, origin: .root, slots: slots.sorted { $0.key < $1.key })])
    let bytes = SnapshotCoding.encode(snapshot)
    #expect(bytes.count < 400_000)
    let isSame = try SnapshotCoding.decode(bytes) == snapshot
    #expect(isSame)
  }
}
