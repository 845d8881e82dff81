import StarlingCore
import StarlingWire

/// One live stream of ours of one document: where it stands, and how its changes are spelled.
package struct OutgoingStream: Sendable {
  let topic: UInt32
  var encoder = LiveEncoder()
  var position: StreamPosition

  init(topic: UInt32, number: UInt32) {
    self.topic = topic
    position = StreamPosition(stream: number, sequence: 0)
  }

  /// A frame is closed once it holds this much, so that a large backlog goes out in many.
  private static let payloadByteCount = 32 << 10
  /// Changes that travel together define at most so many objects, and one with more operations than that
  /// travels alone: what peers take at once (`ChangeLimits`) is for one change that is as large as may be.
  private static let partCountMax = 4096

  /// What one small change takes, so that it is written without the memory being moved.
  private static let usualByteCount = 224

  /// The frames that go on with the stream.
  mutating func frames(of changes: [Change]) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var payload: [UInt8] = []
    payload.reserveCapacity(Self.usualByteCount)
    var partCount = 0
    changes.withBorrowed { changes in
      for place in changes.indices {
        let (former, formerPartCount) = (payload.count, partCount)
        encoder.encode(changes[place], into: &payload)
        partCount += changes[place].change.objects.count + changes[place].change.operations.count
        if former > 0, payload.count > 2 * Self.payloadByteCount || partCount > Self.partCountMax {
          // What was there goes first: together the two might be more than a frame holds.
          frames.append(frame(payload[..<former]))
          payload.removeFirst(former)
          partCount -= formerPartCount
        }
        if payload.count >= Self.payloadByteCount {
          frames.append(frame(payload[...]))
          payload.removeAll(keepingCapacity: true)
          partCount = 0
        }
      }
    }
    if !payload.isEmpty { frames.append(frame(payload[...])) }
    return frames
  }

  /// Goes on behind changes that nobody is there to hear.
  mutating func passOver() { position.sequence += 1 }

  private mutating func frame(_ payload: ArraySlice<UInt8>) -> [UInt8] {
    let frame = PublishedFrame(
      topic: topic, stream: position.stream, sequence: position.sequence, payload: payload
    ).encoded()
    position.sequence += 1
    return frame
  }
}
