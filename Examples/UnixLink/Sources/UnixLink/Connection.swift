import Dispatch
import StarlingEngine

/// What travels on a connection: a byte for the kind, four for the length, least significant first, and the bytes.
struct Frame: Equatable {
  enum Kind: UInt8 { case direct, published, subscribe, unsubscribe }

  /// A peer that announces more is hung up on.
  static let byteCountMax = 32 << 20
  static let headByteCount = 5

  var kind: Kind
  var bytes: [UInt8]

  init(_ kind: Kind, _ bytes: [UInt8]) {
    self.kind = kind
    self.bytes = bytes
  }

  var encoded: [UInt8] {
    let count = UInt32(bytes.count)
    return [kind.rawValue] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } + bytes
  }

  /// The first frame of `buffer` and how many bytes it takes; nil while some are missing.
  ///
  /// - Throws: `Malformed` where no frame begins so.
  static func first(in buffer: ArraySlice<UInt8>) throws(Malformed) -> (frame: Frame, byteCount: Int)? {
    guard buffer.count >= headByteCount else { return nil }
    let head = Array(buffer.prefix(headByteCount))
    let count = (0..<4).reduce(0) { $0 | Int(head[$1 + 1]) << (8 * $1) }
    guard let kind = Kind(rawValue: head[0]), count <= byteCountMax else { throw Malformed() }
    guard buffer.count >= headByteCount + count else { return nil }
    return (Frame(kind, Array(buffer.dropFirst(headByteCount).prefix(count))), headByteCount + count)
  }

  struct Malformed: Error {}
}

/// One stream between two links. It belongs to the queue of its link. Sendable: all that it has is touched on that
/// queue, which is serial.
final class Connection: @unchecked Sendable {
  /// A peer that takes nothing loses frames beyond this; the replica notices, and asks again.
  static let queuedByteCountMax = 8 << 20

  let identity: PeerIdentity
  /// Whether the replica was told of the peer.
  var isKnown = false
  /// Which published frames the peer wants, by their first bytes.
  var topics: [[UInt8]] = []

  private let descriptor: Int32
  private let queue: DispatchQueue
  private let received: (Frame) -> Void
  private let closed: (String) -> Void
  private let reading: any DispatchSourceRead
  private let writing: any DispatchSourceWrite
  private var isWaitingToWrite = false
  private var isClosed = false
  private var arrived: [UInt8] = []
  private var queued: [UInt8] = []

  init(
    _ descriptor: Int32, queue: DispatchQueue, received: @escaping (Frame) -> Void,
    closed: @escaping (String) -> Void
  ) {
    self.descriptor = descriptor
    self.queue = queue
    self.received = received
    self.closed = closed
    identity = UnixSocket.peerIsThisUser(descriptor) ? .sameUser : .unknown
    reading = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    writing = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
    // The descriptor may be used again as soon as it is closed, so the last of the two sources closes it.
    let open = OpenDescriptor(descriptor)
    reading.setCancelHandler { open.release() }
    writing.setCancelHandler { open.release() }
    reading.setEventHandler { [weak self] in self?.read() }
    writing.setEventHandler { [weak self] in self?.write() }
    reading.resume()
  }

  /// Takes what has come, until nothing is left: once the other end has closed, Dispatch on Linux calls a last time,
  /// however much there is still to read. Each part is a turn of its own, so that nobody else on the queue waits long.
  private func read() {
    guard !isClosed else { return }
    guard let bytes = UnixSocket.read(descriptor) else { return closed("the other end closed the connection") }
    guard !bytes.isEmpty else { return }
    arrived += bytes
    do {
      while let (frame, byteCount) = try Frame.first(in: arrived[...]) {
        arrived.removeFirst(byteCount)
        received(frame)
        if isClosed { return }
      }
    } catch {
      return closed("what came is no frame")
    }
    queue.async { [self] in read() }
  }

  /// Queues a frame; false where too much is queued already, and then the frame is dropped.
  func send(_ frame: Frame) -> Bool {
    guard queued.count + frame.bytes.count <= max(Self.queuedByteCountMax, frame.bytes.count) else { return false }
    queued += frame.encoded
    write()
    return true
  }

  private func write() {
    queued.removeFirst(UnixSocket.write(queued, to: descriptor))
    guard queued.isEmpty == isWaitingToWrite else { return }
    isWaitingToWrite.toggle()
    if isWaitingToWrite { writing.resume() } else { writing.suspend() }
  }

  /// Writes what is queued, as far as it goes within `linger`, and closes.
  func drain(within linger: Duration) {
    let end = ContinuousClock.now + linger
    while !queued.isEmpty, ContinuousClock.now < end {
      UnixSocket.waitUntilWritable(descriptor, within: ContinuousClock.now.duration(to: end))
      queued.removeFirst(UnixSocket.write(queued, to: descriptor))
    }
    close()
  }

  func close() {
    isClosed = true
    reading.cancel()
    writing.cancel()
    // A source that is suspended would never be told that it is cancelled.
    if !isWaitingToWrite { writing.resume() }
    isWaitingToWrite = true
    topics = []
  }
}

/// A descriptor that two sources watch, and that is closed when neither does. Sendable: only the cancel handlers of
/// both touch it, one after the other on the link's queue, which lets one thread at a time have it.
private final class OpenDescriptor: @unchecked Sendable {
  private let descriptor: Int32
  private var users = 2

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  func release() {
    users -= 1
    if users == 0 { UnixSocket.close(descriptor) }
  }
}

/// Accepts connections at a path.
final class Listener {
  private let path: String
  private let source: any DispatchSourceRead

  init(path: String, queue: DispatchQueue, accepted: @escaping (Int32) -> Void) throws(LinkError) {
    self.path = path
    let descriptor = try UnixSocket.listen(at: path)
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { while let connection = UnixSocket.accept(descriptor) { accepted(connection) } }
    source.setCancelHandler { UnixSocket.close(descriptor) }
    source.resume()
  }

  func close() {
    source.cancel()
    UnixSocket.remove(path)
  }
}
