import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `A stream that is followed` {
  var sender = Sender()
  var receiver = StreamReceiver()

  init() {
    _ = receiver.resume(at: sender.position, tables: sender.tables)
  }

  @Test mutating func `gives the changes of each frame in sequence`() {
    for value in 1...3 as ClosedRange<Int64> {
      let frame = sender.write(value)
      #expect(receiver.receive(frame).changes == [sender.changes.last!])
    }
    #expect(receiver.position == sender.position)
  }

  @Test mutating func `passes over a frame that came before`() {
    let frame = sender.write(1)
    _ = receiver.receive(frame)
    #expect(receiver.receive(frame).isNothing)
    #expect(receiver.position == sender.position)
  }

  @Test mutating func `is lost at a gap`() {
    _ = sender.write(1)
    let second = sender.write(2)
    #expect(receiver.receive(second).isLost)
    #expect(receiver.position == nil)
  }

  @Test mutating func `is lost at a frame that cannot be read`() {
    let frame = sender.write(1).damaged
    #expect(receiver.receive(frame).isLost)
    #expect(receiver.position == nil)
  }

  @Test mutating func `passes over frames of another stream`() {
    var other = Sender(replica: 2, stream: 8)
    let foreign = other.write(1)
    #expect(receiver.receive(foreign).isNothing)
    #expect(receiver.position == sender.position)
  }

  @Test mutating func `is not set back by a resume that it is past`() {
    let position = sender.position
    let tables = sender.tables
    let frame = sender.write(1)
    _ = receiver.receive(frame)
    #expect(receiver.resume(at: position, tables: tables).changes == [])
    #expect(receiver.position == sender.position)
    let next = sender.write(2)
    #expect(receiver.receive(next).changes?.count == 1)
  }

  @Test mutating func `goes on from a resume that is ahead of it`() {
    _ = sender.write(1)
    #expect(receiver.resume(at: sender.position, tables: sender.tables).changes == [])
    let next = sender.write(2, for: "author")
    #expect(receiver.receive(next).changes == [sender.changes.last!])
  }

  @Test mutating func `goes on at the first number behind the last there is`() {
    let last = StreamPosition(stream: 8, sequence: .max)
    #expect(receiver.resume(at: last, tables: sender.tables).changes == [])
    var frame = sender.write(1)
    (frame.stream, frame.sequence) = (8, .max)
    #expect(receiver.receive(frame).changes?.count == 1)
    #expect(receiver.position == StreamPosition(stream: 8, sequence: 0))
  }

  @Test mutating func `goes over to another stream at a resume`() {
    var other = Sender(replica: 2, stream: 8)
    _ = other.write(1)
    #expect(receiver.resume(at: other.position, tables: other.tables).changes == [])
    let frame = other.write(2)
    #expect(receiver.receive(frame).changes == [other.changes.last!])
  }
}

@Suite struct `A stream that is not followed yet` {
  var sender = Sender()
  var receiver = StreamReceiver()

  @Test mutating func `keeps its frames until it is joined`() {
    let position = sender.position
    let tables = sender.tables
    let frames = [sender.write(1), sender.write(2)]
    for frame in frames { #expect(receiver.receive(frame).isNothing) }
    #expect(receiver.resume(at: position, tables: tables).changes == sender.changes)
    #expect(receiver.position == sender.position)
  }

  @Test mutating func `uses only the frames from the resume on`() {
    let first = sender.write(1)
    let position = sender.position
    let tables = sender.tables
    let second = sender.write(2)
    _ = receiver.receive(first)
    _ = receiver.receive(second)
    #expect(receiver.resume(at: position, tables: tables).changes == [sender.changes[1]])
  }

  @Test mutating func `is lost again where frames are missing among those kept`() {
    let position = sender.position
    let tables = sender.tables
    let first = sender.write(1)
    _ = sender.write(2)
    let third = sender.write(3)
    _ = receiver.receive(first)
    _ = receiver.receive(third)
    #expect(receiver.resume(at: position, tables: tables).isLost)
    #expect(receiver.position == nil)
  }

  @Test mutating func `cannot be joined with tables that cannot be read`() {
    #expect(receiver.resume(at: sender.position, tables: [0xFF]).isUnusable)
    #expect(receiver.position == nil)
    #expect(receiver.resume(at: sender.position, tables: sender.tables).changes == [])
  }

  @Test mutating func `keeps the frame that showed the gap`() {
    _ = receiver.resume(at: sender.position, tables: sender.tables)
    _ = sender.write(1)
    let position = sender.position
    let tables = sender.tables
    let second = sender.write(2)
    #expect(receiver.receive(second).isLost)
    #expect(receiver.resume(at: position, tables: tables).changes == [sender.changes[1]])
  }

  @Test mutating func `keeps a bounded number of frames, and then the later ones`() {
    var frames: [PublishedFrame] = []
    var points: [(StreamPosition, [UInt8])] = []
    for value in 0..<4100 as Range<Int64> {
      points.append((sender.position, sender.tables))
      frames.append(sender.write(value))
    }
    for frame in frames { _ = receiver.receive(frame) }
    #expect(receiver.resume(at: points[0].0, tables: points[0].1).isLost)
    for frame in frames { _ = receiver.receive(frame) }
    #expect(receiver.resume(at: points[4096].0, tables: points[4096].1).changes == Array(sender.changes[4096...]))
  }

  @Test mutating func `keeps a bounded number of bytes`() {
    let position = sender.position
    let tables = sender.tables
    var large = sender.write(1)
    large.payload = [UInt8](repeating: 0, count: 3 << 20)[...]
    _ = receiver.receive(large)
    large.sequence += 1
    _ = receiver.receive(large)
    // The first had to go, so that nothing is left that the stream could be joined at.
    #expect(receiver.resume(at: position, tables: tables).isLost)
  }
}
