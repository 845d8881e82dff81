import CRawZeroMQ
import Foundation
import StarlingCore

/// libzmq's publish and subscribe with nothing around it: messages of 64 bytes, two words used.
///
/// ```
/// 0          8          16                64
/// | what     | value    | zeros           |
/// ```
struct RawSocket {
  let endpoint: String
  private let context: UnsafeMutableRawPointer
  private let socket: UnsafeMutableRawPointer

  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ call: String) {
      description = "\(call): \(String(cString: zmq_strerror(zmq_errno())))"
    }
  }

  init(publishingOver transport: Transport) throws {
    guard let context = zmq_ctx_new(), let socket = zmq_socket(context, ZMQ_PUB) else { throw Failure("zmq_socket") }
    self.context = context
    self.socket = socket
    guard zmq_bind(socket, transport.endpoint) == 0 else { throw Failure("zmq_bind") }
    var name = [CChar](repeating: 0, count: 256)
    var count = name.count
    guard zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, &name, &count) == 0 else { throw Failure("zmq_getsockopt") }
    endpoint = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func send(_ key: Key, _ value: Int64) {
    let what: Int64 = key == LinkPeer.key ? 0 : key == "end" ? 1 : 2
    let message = [what, value, 0, 0, 0, 0, 0, 0]
    _ = message.withUnsafeBytes { zmq_send(socket, $0.baseAddress, $0.count, 0) }
  }

  func close() {
    zmq_close(socket)
    zmq_ctx_term(context)
  }

  /// - Parameter heard: Returns whether more is to come.
  static func receive(from endpoint: String, heard: (Key, Int64) -> Bool) throws {
    guard let context = zmq_ctx_new(), let socket = zmq_socket(context, ZMQ_SUB) else { throw Failure("zmq_socket") }
    guard zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0) == 0 else { throw Failure("zmq_setsockopt") }
    guard zmq_connect(socket, endpoint) == 0 else { throw Failure("zmq_connect") }
    let keys: [Key] = [LinkPeer.key, "end", "hello"]
    var message = [Int64](repeating: 0, count: 8)
    repeat {
      let count = message.withUnsafeMutableBytes { zmq_recv(socket, $0.baseAddress, $0.count, 0) }
      guard count == 64 else { throw Failure("zmq_recv") }
    } while heard(keys[Int(message[0])], message[1])
    zmq_close(socket)
    zmq_ctx_term(context)
  }
}
