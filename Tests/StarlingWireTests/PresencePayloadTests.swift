import StarlingCore
import StarlingWire
import Testing

@Suite struct `A payload of presence` {
  private func notice(_ number: UInt64, bytes: Int) -> PresenceNotice {
    PresenceNotice(
      origin: 7, number: number, lifetimeMilliseconds: 10_000, key: "cursor",
      value: .bytes([UInt8](repeating: 1, count: bytes)))
  }

  @Test(arguments: [0, 10, 4000])
  func `holds no more than a reader takes`(bytes: Int) throws {
    let notices = (1...3000).map { notice($0, bytes: bytes) }
    let payloads = PresencePayload.payloads(of: Samples.document, notices)
    #expect(payloads.flatMap(\.notices) == notices)
    for payload in payloads { #expect(try PresencePayload(decoding: payload.encoded()[...]) == payload) }
  }

  @Test func `is stepped over by a reader of changes alone`() throws {
    let frame = PublishedFrame(
      topic: PublishedFrame.topicNumber(of: Samples.document), stream: PresencePayload.stream, sequence: 0,
      payload: PresencePayload(document: Samples.document, notices: [notice(1, bytes: 3)]).encoded()[...])
    #expect(try PublishedFrame(decoding: frame.encoded()) == frame)
    #expect(PresencePayload.stream == 0)
  }
}
