import StarlingCore
import StarlingTestSupport
import StarlingWire
import Testing

@Suite struct `An explanation` {
  private func expectWhole(_ explanation: FrameExplanation, count: Int, _ name: String) {
    var end = 0
    for piece in explanation.pieces where !piece.bytes.isEmpty {
      #expect(piece.bytes.lowerBound == end, "\(name): a gap before '\(piece.meaning)'")
      end = piece.bytes.upperBound
    }
    #expect(end == count, "\(name): \(end) of \(count) bytes are explained")
  }

  /// What every vector is explained as; of streams each payload as a published frame.
  private func explanations(of vector: Vector) -> [(explanation: FrameExplanation, count: Int, header: Int)] {
    var explainer = FrameExplainer()
    func one(_ bytes: [UInt8], _ kind: FrameKind) -> [(FrameExplanation, Int, Int)] {
      [(explainer.explain(bytes, as: kind), bytes.count, 0)]
    }
    switch vector.subject {
    case .message(let bytes): return one(bytes, .message)
    case .batch(let bytes): return one(bytes, .batch)
    case .snapshot(let bytes): return one(bytes, .snapshot)
    case .presence(let bytes): return one(bytes, .presence)
    case .published(let bytes): return one(bytes, .published)
    case .stream(let tables, let payloads):
      var rows: [(FrameExplanation, Int, Int)] = []
      if let tables {
        let resume = Message.resume(
          Message.Resume(
            document: DocumentID("library")!, request: 1, version: VersionVector(),
            position: StreamPosition(stream: 5, sequence: 1), tables: tables)
        ).encoded()
        rows.append((explainer.explain(resume), resume.count, resume.count - tables.count))
      }
      for (sequence, payload) in payloads.enumerated() {
        let frame = PublishedFrame(
          topic: 1, stream: 5, sequence: UInt64(sequence + (tables == nil ? 0 : 1)), payload: payload[...]
        ).encoded()
        rows.append((explainer.explain(frame, as: .published), frame.count, frame.count - payload.count))
      }
      return rows
    }
  }

  @Test func `covers every byte of what is accepted`() throws {
    for (name, file) in try Vector.files(in: "accept") {
      let vector = try #require(Vector(name: name, file: file))
      for (explanation, count, _) in explanations(of: vector) {
        if ["message-changes", "message-resume", "message-snapshot"].contains(name) {
          #expect(explanation.pieces.count > 3)
          continue
        }
        #expect(explanation.error == nil, "\(name): \(String(describing: explanation.error))")
        expectWhole(explanation, count: count, name)
      }
    }
  }

  @Test func `refuses what the decoder refuses, with the same code at the same place`() throws {
    for (name, file) in try Vector.files(in: "reject") {
      let vector = try #require(Vector(name: name, file: file))
      let code = try #require(file["code"]?.text)
      let offset = try #require(file["offset"]?.number)
      let (explanation, _, header) = try #require(
        explanations(of: vector).last { $0.explanation.error != nil }, "\(name)")
      #expect(explanation.error?.code.rawValue == code, "\(name): \(String(describing: explanation.error))")
      #expect(explanation.errorOffset == header + offset, "\(name): \(String(describing: explanation.error))")
    }
  }

  @Test func `tells a published change field by field`() throws {
    var encoder = LiveEncoder()
    var document = Document()
    var patch = Patch()
    let writer = ReplicaID(rawValue: 0xA)
    document.begin(as: writer, now: 1000)
    document.set(.string("Dune"), for: "title", in: .root, patch: &patch)
    let renamed = document.commit(message: "Rename")
    let change = try #require(renamed)
    let header = PublishedFrame(topic: 0x1234, stream: 9, sequence: 0, payload: []).encoded()
    var frame = header
    encoder.encode(change, into: &frame)
    var explainer = FrameExplainer()
    let explanation = explainer.explain(frame)
    #expect(explanation.kind == .published)
    #expect(explanation.error == nil)
    expectWhole(explanation, count: frame.count, "a change")
    let text = explanation.pieces.map(\.meaning).joined(separator: "\n")
    for words in ["topic 1234", "stream 9", "sequence 0", "replica 000000000000000a", "“title”", "“Dune”", "“Rename”"] {
      #expect(text.contains(words), "\(text)")
    }
    // The next one says by number what this one said by name, and is known only after it.
    document.begin(as: writer, now: 2000)
    document.set(.string("Emma"), for: "title", in: .root, patch: &patch)
    var next = PublishedFrame(topic: 0x1234, stream: 9, sequence: 1, payload: []).encoded()
    let again = document.commit()
    encoder.encode(try #require(again), into: &next)
    #expect(explainer.explain(next).pieces.contains { $0.meaning.contains("“title”") })
    var stranger = FrameExplainer()
    let alone = stranger.explain(next)
    #expect(alone.error == nil)
    #expect(alone.pieces.last?.meaning.contains("goes on from what the stream said before") == true)
  }

  @Test func `of anything ends`() {
    var chance = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0...UInt64.max, using: &chance)
    var dice = Dice(seed: seed)
    var explainer = FrameExplainer()
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0..<80, using: &dice)).map { _ in UInt8.random(in: 0...255, using: &dice) }
      let kind = FrameKind.allCases.randomElement(using: &dice)
      let explanation = explainer.explain(bytes, as: Bool.random(using: &dice) ? kind : nil)
      let end = explanation.pieces.map(\.bytes.upperBound).max() ?? 0
      #expect(end <= bytes.count, "seed \(seed)")
      #expect(explanation.error != nil || end == bytes.count, "seed \(seed), \(bytes) as \(explanation.kind)")
    }
  }
}
