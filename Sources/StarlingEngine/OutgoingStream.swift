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

/// In what way a dialled peer is followed.
enum Relation {
  /// It is told of everything, and so are we.
  case plain
  /// Each daemon follows each other, and tells what came from its own side.
  case fellow
  /// The upper daemon of which we take the live stream.
  case uplink
  /// Another upper daemon, which takes its place if it is lost.
  case standby

  /// Whether it is told of our side's stream.
  var isAcross: Bool { self != .plain }
}
