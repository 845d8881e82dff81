import CZeroMQ

/// What libzmq tells about a connection of a watched socket (zmq_socket_monitor):
///
/// ```
///   │ event, 2 bytes │ value, 4 bytes │   in the byte order of the machine; the address follows
/// ```
enum MonitorEvent: Equatable {
  /// A connection came in under this descriptor.
  case accepted(Int32)
  /// A connection that we dialled has reached somebody, under this descriptor.
  case connected(Int32)
  /// A connection stands: both sides know the other's socket type.
  case standing
  /// A connection is gone; the descriptor was its own. Told before libzmq closes it.
  case gone(Int32)
  /// A connection ended before it stood.
  case failed
  /// The other side does not admit our key.
  case notAdmitted
  /// The other side is not who we took it for, or speaks otherwise than we do.
  case notUnderstood

  static let mask =
    ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_CONNECTED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_DISCONNECTED
    | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH

  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 6 else { return nil }
    let descriptor = bytes.loadUnaligned(fromByteOffset: 2, as: Int32.self)
    switch Int32(bytes.loadUnaligned(as: UInt16.self)) {
    case ZMQ_EVENT_ACCEPTED: self = .accepted(descriptor)
    case ZMQ_EVENT_CONNECTED: self = .connected(descriptor)
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: self = .standing
    case ZMQ_EVENT_DISCONNECTED: self = .gone(descriptor)
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: self = .notAdmitted
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: self = .notUnderstood
    default: self = .failed
    }
  }
}
