public import StarlingCore

/// One frame of a live stream as it is published (Protocol/wire-format.md, "Published frames").
///
/// ```
/// 0        4         8
/// | topic  | stream  | sequence, 1 to 10 bytes | payload ... |
/// ```
public struct PublishedFrame: Hashable, Sendable {
  /// What subscribers of the document filter by; several documents may share one.
  public var topic: UInt32
  public var stream: UInt32
  public var sequence: UInt64
  /// What `LiveEncoder` wrote.
  public var payload: ArraySlice<UInt8>

  public init(topic: UInt32, stream: UInt32, sequence: UInt64, payload: ArraySlice<UInt8>) {
    self.topic = topic
    self.stream = stream
    self.sequence = sequence
    self.payload = payload
  }

  public init(decoding bytes: [UInt8], limits: WireLimits = .standard) throws(WireError) {
    let (topic, stream, sequence, start) = try Reader.read(
      bytes[...], atMost: limits.frameByteCountMax, limits: limits
    ) { reader throws(WireError) in
      let head = (try reader.fixed32(), try reader.fixed32(), try reader.varint(), reader.offset)
      try reader.skip(reader.remaining)
      return head
    }
    self.init(topic: topic, stream: stream, sequence: sequence, payload: bytes[start...])
  }

  public func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(18 + payload.count)
    Self.appendHeader(topic: topic, stream: stream, sequence: sequence, to: &bytes)
    bytes.append(contentsOf: payload)
    return bytes
  }

  /// Writes all but the payload, so that an encoder can go on in the same buffer.
  public static func appendHeader(topic: UInt32, stream: UInt32, sequence: UInt64, to bytes: inout [UInt8]) {
    bytes.append(fixed32: topic)
    bytes.append(fixed32: stream)
    bytes.append(varint: sequence)
  }

  /// The four bytes that frames of `document` begin with, for a link to subscribe to.
  public static func topic(of document: DocumentID) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(fixed32: topicNumber(of: document))
    return bytes
  }

  /// The same four bytes as the number that `topic` holds.
  public static func topicNumber(of document: DocumentID) -> UInt32 {
    UInt32(truncatingIfNeeded: document.hash(under: "Starling topics!"))
  }

  /// The four bytes that frames of a side's stream of `document` begin with (Protocol/conversation.md, "Daemons among
  /// themselves").
  public static func sideTopic(of document: DocumentID) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(fixed32: sideTopicNumber(of: document))
    return bytes
  }

  public static func sideTopicNumber(of document: DocumentID) -> UInt32 {
    UInt32(truncatingIfNeeded: document.hash(under: "Starling a side."))
  }
}
