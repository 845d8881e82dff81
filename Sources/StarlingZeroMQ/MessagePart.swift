import CZeroMQ

/// The part of a message that was received last. Receiving the next one releases what it held.
final class MessagePart {
  let pointer = UnsafeMutablePointer<zmq_msg_t>.allocate(capacity: 1)

  init() {
    zmq_msg_init(pointer)
  }

  deinit {
    zmq_msg_close(pointer)
    pointer.deallocate()
  }

  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: zmq_msg_data(pointer), count: zmq_msg_size(pointer))
  }

  /// A copy, which stays.
  var array: [UInt8] { [UInt8](bytes) }

  /// Whether further parts of the same message follow.
  var hasMore: Bool { zmq_msg_more(pointer) != 0 }

  /// The user id that was given to the connection when it was admitted; nil without one.
  var user: String? { zmq_msg_gets(pointer, "User-Id").map { String(cString: $0) } }

  /// The descriptor of the connection it came by, or -1. It may be closed already (zmq_msg_get, ZMQ_SRCFD).
  var connection: Int32 { zmq_msg_get(pointer, ZMQ_SRCFD) }
}
