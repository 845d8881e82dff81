import CZeroMQ
import StarlingEngine
import StarlingThread

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One libzmq socket. It belongs to the link's thread.
///
/// Errors are read by `zmq_errno()`: "This function retrieves the errno as it is known to 0MQ
/// library" (zmq.h), which need not be the `errno` of the C library that Swift sees.
final class LinkSocket {
  /// Names the socket among those that are watched; never used again.
  let token: UInt64
  /// What the link does with what arrives here.
  let role: Role
  /// "Returns file descriptor associated with the specified socket … The descriptor signals
  /// … in an edge-triggered fashion" (zmq_getsockopt, ZMQ_FD): it is readable while libzmq has
  /// commands for the socket, not while there are messages.
  let descriptor: Int32
  /// Whether it waits to be read.
  var isMarked = false
  /// Whether anything was read from it since somebody looked.
  var isHeard = false
  /// Whether what it holds is to be read. What a dialled peer sends is left where it is until both its sockets stand.
  var isWanted = true
  private(set) var isClosed = false

  private let handle: UnsafeMutableRawPointer

  enum Role {
    /// The SUB of a dialled peer.
    case subscriber(PeerHandle)
    /// The DEALER of a dialled peer.
    case dealer(PeerHandle)
    /// A SUB that hears nothing, by which a dialled peer is asked whether it is there.
    case probe(PeerHandle)
    /// The ROUTER of all peers that came in by this listening socket.
    case router(Listener)
    /// The XPUB of all peers that came in by this listening socket.
    case publisher(Listener)
    /// The REP at which libzmq asks about handshakes.
    case authenticator
    /// What libzmq tells about the connections of another socket.
    indirect case monitor(of: Role)
  }

  var isMonitor: Bool {
    if case .monitor = role { true } else { false }
  }

  init(_ type: Int32, in context: UnsafeMutableRawPointer, as role: Role, token: UInt64) throws(LinkError) {
    guard let handle = zmq_socket(context, type) else {
      throw LinkError.ofLibrary("No further socket could be made; raise the limit of open files")
    }
    var descriptor: Int32 = -1
    var byteCount = MemoryLayout<Int32>.size
    zmq_getsockopt(handle, ZMQ_FD, &descriptor, &byteCount)
    self.handle = handle
    self.role = role
    self.token = token
    self.descriptor = descriptor
    // "The default value of -1 specifies an infinite linger period" (zmq_setsockopt): whoever forgets
    // to close one would hang for ever. Closing says how long.
    set(ZMQ_LINGER, 0)
  }

  // MARK: Options

  func set(_ option: Int32, _ value: Int) {
    var value = Int32(clamping: value)
    let result = zmq_setsockopt(handle, option, &value, MemoryLayout<Int32>.size)
    precondition(result == 0, "libzmq refuses \(value) for option \(option): \(LinkError.libraryReason)")
  }

  func set(_ option: Int32, wide value: Int64) {
    var value = value
    let result = zmq_setsockopt(handle, option, &value, MemoryLayout<Int64>.size)
    precondition(result == 0, "libzmq refuses \(value) for option \(option): \(LinkError.libraryReason)")
  }

  func set(_ option: Int32, _ bytes: [UInt8]) {
    zmq_setsockopt(handle, option, bytes, bytes.count)
  }

  func set(_ option: Int32, _ text: StaticString) {
    zmq_setsockopt(handle, option, text.utf8Start, text.utf8CodeUnitCount)
  }

  // MARK: Connections

  func connect(_ address: String) throws(LinkError) {
    guard zmq_connect(handle, address) == 0 else { throw LinkError.ofLibrary("'\(address)' cannot be dialled") }
  }

  /// Dials again what libzmq has given up.
  func redial(_ address: String) {
    _ = zmq_disconnect(handle, address)
    _ = zmq_connect(handle, address)
  }

  /// Accepts connections on a descriptor that listens already, which libzmq closes in the end.
  func listen(on descriptor: Int32, address: String, isIPv6: Bool) throws(LinkError) {
    set(ZMQ_USE_FD, Int(descriptor))
    set(ZMQ_IPV6, isIPv6 ? 1 : 0)
    defer {
      set(ZMQ_USE_FD, -1)
      set(ZMQ_IPV6, 0)
    }
    guard zmq_bind(handle, address) == 0 else { throw LinkError.ofLibrary("'\(address)' cannot be bound") }
  }

  /// Listens at an address within the context.
  func listen(atInternal address: String) throws(LinkError) {
    guard zmq_bind(handle, address) == 0 else { throw LinkError.ofLibrary("'\(address)' cannot be bound") }
  }

  func stopListening(at address: String) {
    zmq_unbind(handle, address)
  }

  /// Begins to tell about its connections at an address within the context.
  func beginMonitoring(at address: String, events: Int32) throws(LinkError) {
    guard zmq_socket_monitor(handle, address, events) == 0 else {
      throw LinkError.ofLibrary("A socket cannot be watched")
    }
  }

  func endMonitoring() {
    zmq_socket_monitor(handle, nil, 0)
  }

  func close(linger: Duration) {
    isClosed = true
    set(ZMQ_LINGER, Int(linger.roundedUpMilliseconds))
    zmq_close(handle)
  }

  // MARK: Messages

  enum Sending { case sent, full, unreachable }

  /// Sends one message part, without waiting.
  func send(_ bytes: UnsafeRawBufferPointer, hasMore: Bool = false) -> Sending {
    let flags = ZMQ_DONTWAIT | (hasMore ? ZMQ_SNDMORE : 0)
    if zmq_send(handle, bytes.baseAddress, bytes.count, flags) >= 0 { return .sent }
    // libzmq looks at its commands only about every millisecond while it sends, so "full" may be
    // old news: once it has looked, the question is put again.
    if zmq_errno() == EAGAIN {
      processCommands()
      if zmq_send(handle, bytes.baseAddress, bytes.count, flags) >= 0 { return .sent }
    }
    return zmq_errno() == EHOSTUNREACH ? .unreachable : .full
  }

  /// Takes one message part; false once there is none.
  func receive(into part: MessagePart) -> Bool {
    while zmq_msg_recv(part.pointer, handle, ZMQ_DONTWAIT) < 0 {
      guard zmq_errno() == EINTR else { return false }
    }
    return true
  }

  /// Clears the descriptor without taking a message.
  func processCommands() {
    var events: Int32 = 0
    var byteCount = MemoryLayout<Int32>.size
    zmq_getsockopt(handle, ZMQ_EVENTS, &events, &byteCount)
  }
}

extension LinkError {
  /// What libzmq has just said.
  static func ofLibrary(_ what: String) -> LinkError {
    LinkError(zmq_errno() == EADDRINUSE ? .inUse : .system, "\(what): \(libraryReason).")
  }

  static var libraryReason: String { String(cString: zmq_strerror(zmq_errno())) }

  /// What a call of the system has just said.
  static func ofSystem(_ what: String, as code: Code = .system, errno number: Int32 = errno) -> LinkError {
    LinkError(code, "\(what): \(String(cString: strerror(number))).")
  }
}
