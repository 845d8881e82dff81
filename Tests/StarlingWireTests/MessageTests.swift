import StarlingCore
import StarlingWire
import Testing

@Suite struct `A message` {
  @Test func `reads back as it was written`() throws {
    for (name, message) in Samples.messages {
      #expect(try Message(decoding: message.encoded()) == message, "\(name)")
    }
  }

  @Test func `of a later kind is told apart and ignored`() throws {
    #expect(try Message(decoding: [0x7F, 1, 2, 3]) == .unknown(kind: 0x7F))
  }

  @Test func `with fields of a later version reads without them`() throws {
    for (name, message) in Samples.messages {
      let later = message.encoded() + [70, 2, 0xAA, 0xBB, 90, 0]
      #expect(try Message(decoding: later) == message, "\(name)")
    }
  }

  @Test func `takes of a field that it knows what it knows`() throws {
    let have = Message.Have(
      document: Samples.document, version: VersionVector(), position: nil, digest: nil,
      arriving: Message.Arrival(byteCount: 5, wholeByteCount: 9))
    let bytes = Message.have(have).withoutAddedFields.encoded() + [1, 4, 5, 9, 0xAA, 0xBB]
    #expect(try Message(decoding: bytes) == .have(have))
  }

  @Test func `cut anywhere is refused`() throws {
    for (name, message) in Samples.messages {
      let bytes = message.encoded()
      // Without a field that was added since, it is whole.
      let bareByteCount = message.withoutAddedFields.encoded().count
      for count in 0..<bytes.count where count != bareByteCount {
        #expect(throws: WireError.self, "\(name) cut to \(count) bytes") {
          try Message(decoding: [UInt8](bytes[..<count]))
        }
      }
    }
  }

  @Test func `that is refused says what, where and what to do`() {
    #expect {
      try Message(decoding: [3, 1, 0x61, 0x80])
    } throws: { error in
      guard let error = error as? WireError else { return false }
      return error.code == .truncated && error.offset == 3
        && error.message
          == "The bytes end inside a number, at byte 3. Fetch the bytes again; something cut them."
    }
  }

  @Test func `beyond the limits is refused before it is read`() {
    var limits = WireLimits()
    limits.frameByteCountMax = 10
    let bytes = Message.live([UInt8](repeating: 0, count: 20)).encoded()
    #expect {
      try Message(decoding: bytes, limits: limits)
    } throws: { ($0 as? WireError)?.code == .tooLarge }
  }
}
