import StarlingCore
import StarlingWire

/// One live stream of ours of one document: where it stands, and how its changes are spelled.
struct OutgoingStream {
  let topic: UInt32
  var encoder = LiveEncoder()
  var position: StreamPosition

  init(topic: UInt32, number: UInt32) {
    self.topic = topic
    position = StreamPosition(stream: number, sequence: 0)
  }
}

/// Which of our streams a peer is told of (Protocol/conversation.md, "Daemons among themselves").
enum Audience {
  /// All that we merge.
  case everyone
  /// What came from our side, for those to whom the others tell theirs.
  case across
}
