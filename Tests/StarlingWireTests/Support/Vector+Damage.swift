import StarlingCore
import StarlingWire

extension Vector {
  /// The bytes that damage is done to: of a stream its last payload, or its tables.
  private var exposed: [UInt8] {
    switch subject {
    case .message(let bytes), .batch(let bytes), .snapshot(let bytes), .published(let bytes), .presence(let bytes):
      bytes
    case .stream(let tables, let payloads): tables ?? payloads.last { !$0.isEmpty } ?? []
    }
  }

  var byteCount: Int { exposed.count }

  func with(_ bytes: [UInt8]) -> Vector {
    var copy = self
    switch subject {
    case .message: copy.subject = .message(bytes)
    case .batch: copy.subject = .batch(bytes)
    case .snapshot: copy.subject = .snapshot(bytes)
    case .published: copy.subject = .published(bytes)
    case .presence: copy.subject = .presence(bytes)
    case .stream(.some, let payloads): copy.subject = .stream(tables: bytes, payloads: payloads)
    case .stream(nil, let payloads):
      let place = payloads.lastIndex { !$0.isEmpty } ?? 0
      copy.subject = .stream(tables: nil, payloads: payloads[..<place] + [bytes])
    }
    return copy
  }

  /// Every copy with one byte changed by one of `masks`.
  func variants(flipping masks: [UInt8]) -> some Sequence<Vector> {
    exposed.indices.lazy.flatMap { place in
      masks.lazy.map { mask in
        var bytes = exposed
        bytes[place] ^= mask
        return with(bytes)
      }
    }
  }

  /// What the bytes decode to, counted.
  struct Outcome {
    var things = 0

    /// Whether no more came out than so many bytes can spell.
    func isWithin(bytes count: Int) -> Bool { things <= 70 * count + 10_000 }
  }

  func outcome() throws(WireError) -> Outcome {
    switch subject {
    case .message(let bytes):
      _ = try Message(decoding: bytes)
      return Outcome(things: 1)
    case .batch(let bytes): return Outcome(try Batch.decode(bytes))
    case .snapshot(let bytes):
      let snapshot = try SnapshotCoding.decode(bytes)
      return Outcome(
        things: snapshot.objects.reduce(0) {
          $0 + 1 + $1.slots.count + ($1.sequence.map { $0.runs.count + $0.marks.count } ?? 0)
        })
    case .published(let bytes):
      _ = try PublishedFrame(decoding: bytes)
      return Outcome(things: 1)
    case .presence(let bytes):
      return Outcome(things: 1 + (try PresencePayload(decoding: bytes[...]).notices.count))
    case .stream(let tables, let payloads):
      var decoder = LiveDecoder()
      if let tables { decoder = try LiveDecoder(tables: tables) }
      var outcome = Outcome()
      for payload in payloads { outcome.things += Outcome(try decoder.decode(payload)).things }
      return outcome
    }
  }
}

extension Vector.Outcome {
  init(_ changes: [Change]) {
    for change in changes {
      things += 1 + change.frontier.count + change.objects.count + change.operations.count
      for operation in change.operations {
        if case .insert(let content, _) = operation.action { things += content.count }
      }
    }
  }
}
