import StarlingWire

// What one peer says to another, each read once.

extension FuzzedDecoder {
  static let message = FuzzedDecoder(name: "message") { bytes in
    guard let message = try? Message(decoding: bytes) else { return false }
    let again = message.encoded()
    try hold((try? Message(decoding: again)) == message, "\(message) is written as \(again), which reads otherwise")
    return true
  }

  static let presence = FuzzedDecoder(name: "presence") { bytes in
    guard let payload = try? PresencePayload(decoding: bytes[...]) else { return false }
    let again = payload.encoded()
    try hold(
      (try? PresencePayload(decoding: again[...])) == payload,
      "\(payload) is written as \(again), which reads otherwise")
    return true
  }

  static let published = FuzzedDecoder(name: "published") { bytes in
    guard let frame = try? PublishedFrame(decoding: bytes) else { return false }
    try hold(
      (try? PublishedFrame(decoding: frame.encoded())) == frame, "\(frame) is not read again as it is written")
    if frame.stream == PresencePayload.stream { _ = try? PresencePayload(decoding: frame.payload) }
    return true
  }

  /// `starling explain`: two frames, the latter in the light of the former.
  static let explanation = FuzzedDecoder(name: "explanation", byteCountPerByte: 8192) { bytes in
    var input = InputReader(bytes)
    let choice = input.next()
    let kind = choice < FrameKind.allCases.count ? FrameKind.allCases[choice] : nil
    var explainer = FrameExplainer()
    var isRead = true
    for frame in [input.part(), input.takeRest()] {
      let explanation = explainer.explain(frame, as: kind)
      let count = explanation.pieces.reduce(0) { $0 + $1.bytes.count }
      try hold(count <= frame.count, "\(count) bytes of \(frame.count) are explained")
      if let offset = explanation.errorOffset {
        try hold((0...frame.count).contains(offset), "The error is at byte \(offset) of \(frame.count)")
        isRead = false
      }
    }
    return isRead
  }
}
