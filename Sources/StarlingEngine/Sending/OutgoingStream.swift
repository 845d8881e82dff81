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
