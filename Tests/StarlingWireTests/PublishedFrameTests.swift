import StarlingCore
import StarlingWire
import Testing

@Suite struct `A published frame` {
  @Test func `reads back as it was written`() throws {
    let frame = PublishedFrame(topic: 1, stream: 2, sequence: 300, payload: [1, 2, 3])
    #expect(try PublishedFrame(decoding: frame.encoded()) == frame)
  }
}
