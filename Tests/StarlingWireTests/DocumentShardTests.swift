import StarlingCore
import StarlingWire
import Testing

@Suite struct `A shard of the documents` {
  private func shard(_ text: String) -> DocumentShard { DocumentShard(text)! }

  private static let names = (0..<2000).map { DocumentID("document \($0)")! }

  @Test func `holds each document that no other of its count holds`() {
    for count in [1, 2, 3, 4, 16, 255, 256] {
      let shards = (1...count).map { DocumentShard($0, of: count)! }
      for document in Self.names {
        let holders = shards.filter { $0.contains(document) }
        #expect(holders == [DocumentShard.of(document, among: count)], "'\(document)' of \(count)")
      }
    }
  }

  /// The shards that Protocol/conversation.md gives for these names.
  @Test(arguments: [
    ("library", [2, 2, 2, 222]), ("notes", [1, 2, 3, 55]), ("a", [2, 2, 4, 184]), ("å", [2, 1, 4, 100]),
  ]) func `is that of every other program`(name: String, numbers: [Int]) {
    let document = DocumentID(name)!
    #expect([2, 3, 4, 256].map { DocumentShard.of(document, among: $0).number } == numbers)
  }

  @Test func `has about as many documents as every other`() {
    for count in [2, 4, 16] {
      let sizes = Dictionary(grouping: Self.names) { DocumentShard.of($0, among: count).number }.mapValues(\.count)
      let mean = Self.names.count / count
      #expect(sizes.values.allSatisfy { (mean * 3 / 4...mean * 5 / 4).contains($0) }, "\(sizes)")
    }
  }

  @Test func `is read from its number and their count, and written so`() {
    for text in ["1/1", "1/2", "2/2", "4/4", "256/256"] { #expect(DocumentShard(text)?.description == text) }
    #expect(shard("1/1") == .whole && !DocumentShard.whole.isPart && shard("1/2").isPart)
  }

  @Test(arguments: [
    "", "/", "1", "1/", "/4", "0/4", "5/4", "-1/4", "1/-4", "+1/4", "1/0", "1/257", "1 /4", "1/4 ", "a/4", "1/4/4",
    "1:4",
    "1.5/4", "99999999999999999999/4", "１/4",
  ]) func `is none where it is written otherwise`(text: String) { #expect(DocumentShard(text) == nil) }

  @Test func `overlaps another where a document is in both`() {
    let shards = (1...6).flatMap { count in (1...count).compactMap { DocumentShard($0, of: count) } }
    for left in shards {
      for right in shards {
        let isShared = Self.names.contains { left.contains($0) && right.contains($0) }
        #expect(left.overlaps(right) == isShared, "\(left) and \(right)")
      }
    }
  }
}
