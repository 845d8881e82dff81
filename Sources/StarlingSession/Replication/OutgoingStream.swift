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

  /// Changes that are encoded and not in a frame yet, and the frames before.
  private struct Pending {
    var frames: [[UInt8]] = []
    var payload: [UInt8] = []
    var partCount = 0
  }

  /// The frames that go on with the stream.
  mutating func frames(of merged: OrderedChanges) -> [[UInt8]] {
    var pending = Pending()
    pending.payload.reserveCapacity(Self.usualByteCount)
    merged.forEachSpan {
      switch $0 {
      case .changes(let places): append(merged.changes, in: places, to: &pending)
      case .row(.sets(let history)):
        var slots = LiveEncoder.RowSlots(of: history)
        history.forEachChange(in: 0..<history.setCount) { places in
          append(of: history.definitionCount(at: places) + places.count, to: &pending) { encoder, payload in
            _ = encoder.encode(history, in: places, &slots, into: &payload)
          }
        }
      case .row(let part):
        let changes = part.changes
        append(changes, in: changes.indices, to: &pending)
      }
    }
    if !pending.payload.isEmpty { pending.frames.append(frame(pending.payload[...])) }
    return pending.frames
  }

  private mutating func append(_ changes: [Change], in places: Range<Int>, to pending: inout Pending) {
    changes.withBorrowed { changes in
      for place in places {
        let partCount = changes[place].value.objects.count + changes[place].value.operations.count
        append(of: partCount, to: &pending) { encoder, payload in encoder.encode(changes[place], into: &payload) }
      }
    }
  }

  /// Appends a change of so many parts.
  @inline(__always)
  private mutating func append(
    of partCount: Int, to pending: inout Pending, _ encode: (inout LiveEncoder, inout [UInt8]) -> Void
  ) {
    let (former, formerPartCount) = (pending.payload.count, pending.partCount)
    encode(&encoder, &pending.payload)
    pending.partCount += partCount
    if former > 0, pending.payload.count > 2 * Self.payloadByteCount || pending.partCount > Self.partCountMax {
      // What was there goes first: together the two might be more than a frame holds.
      pending.frames.append(frame(pending.payload[..<former]))
      pending.payload.removeFirst(former)
      pending.partCount -= formerPartCount
    }
    if pending.payload.count >= Self.payloadByteCount {
      pending.frames.append(frame(pending.payload[...]))
      pending.payload.removeAll(keepingCapacity: true)
      pending.partCount = 0
    }
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
