import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `A document that was opened from a stored state` {
  private let keys = (0..<20_000).map { Key.name("key\($0)") }

  private func handle() throws -> DocumentHandle {
    var document = Document()
    var patch = Patch()
    document.begin(as: ReplicaID(rawValue: 1), now: 1_800_000_000_000)
    for (number, key) in keys.enumerated() { document.set(.integer(Int64(number)), for: key, in: .root, patch: &patch) }
    _ = document.commit()
    let opened = try SnapshotCoding.open(SnapshotCoding.encode(document.snapshot()))
    return DocumentHandle(
      id: Node.library, replica: ReplicaID(rawValue: 2), document: opened, now: { 1_800_000_000_000 })
  }

  @Test func `leaves what a reader of a few keys does not touch`() throws {
    let handle = try handle()
    let blockCount = handle.read { $0.storedBlockCount }
    #expect(blockCount > 300)
    for key in keys.prefix(50) { #expect(handle.value(of: key) != nil) }
    #expect(handle.read { $0.storedBlockCount } == blockCount)
  }

  @Test func `is read to its end, a little with each read, by a caller that goes on reading`() throws {
    let handle = try handle()
    let blockCount = handle.read { $0.storedBlockCount }
    var (left, readsUntilOpen) = (blockCount, 0)
    for (number, key) in keys.enumerated() {
      #expect(handle.value(of: key) == .integer(Int64(number)))
      let now = handle.read { $0.storedBlockCount }
      #expect(left - now <= 8)
      if now > 0 { readsUntilOpen = number }
      left = now
    }
    #expect(left == 0 && readsUntilOpen < 64 + blockCount / 8 + 2)
  }

  @Test func `stays as it is while a transaction is open, and is right after it`() throws {
    let handle = try handle()
    let digest = handle.read { $0.opened.digest() }
    handle.beginTransaction()
    handle.set(5, for: keys[7])
    for key in keys { _ = handle.value(of: key) }
    handle.endTransaction(message: nil)
    handle.set(7, for: keys[7])
    for (number, key) in keys.enumerated() { #expect(handle.value(of: key) == .integer(Int64(number))) }
    #expect(handle.read { $0.storedBlockCount } == 0)
    #expect(handle.digest() != digest)
  }

  @Test func `is read at once for a caller that goes through all of an object`() throws {
    let handle = try handle()
    let (left, count) = handle.readViews(ofAllIn: .root) { document, _ in
      (document.storedBlockCount, document.keys(in: .root).count)
    }
    #expect(left == 0 && count == keys.count)
    for (number, key) in keys.enumerated() { #expect(handle.value(of: key) == .integer(Int64(number))) }
  }
}
