import CRawZeroMQ
import Foundation
import Measuring

/// libzmq's publish and subscribe with nothing around it. Queues have no bound, unless the route says otherwise: then a
/// publisher that is faster than its receivers loses what does not fit, and is not told.
struct RawSocket: Publisher {
  /// The endpoint; and the publisher's public key where it has one.
  let address: String
  private let context: UnsafeMutableRawPointer
  private let socket: UnsafeMutableRawPointer

  private static let keySeparator: Character = "#"

  struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ call: String) {
      description = "\(call): \(String(cString: zmq_strerror(zmq_errno())))"
    }
  }

  init(publishingBy route: Route) throws {
    (context, socket) = try Self.open(ZMQ_PUB, isBounded: route.isBounded)
    var suffix = ""
    if route.isEncrypted {
      let keys = try Self.keyPair()
      try Self.set(ZMQ_CURVE_SERVER, 1, of: socket)
      try Self.set(ZMQ_CURVE_SECRETKEY, keys.secret, of: socket)
      suffix = "\(Self.keySeparator)\(keys.public)"
    }
    // "ipc://*" is a file that libzmq makes and removes.
    let endpoint = route.transport == .ipc ? "ipc://*" : "tcp://127.0.0.1:*"
    guard zmq_bind(socket, endpoint) == 0 else { throw Failure("zmq_bind") }
    var name = [CChar](repeating: 0, count: 256)
    var count = name.count
    guard zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, &name, &count) == 0 else { throw Failure("zmq_getsockopt") }
    address = Self.text(name) + suffix
  }

  func write(_ message: Message) {
    _ = message.withBytes { zmq_send(socket, $0.baseAddress, $0.count, 0) }
  }

  func close() {
    zmq_close(socket)
    zmq_ctx_term(context)
  }

  static func receive(from address: String, _ heard: Medium.Heard) throws {
    // The publisher's queue alone is bounded where one is.
    let (_, socket) = try open(ZMQ_SUB, isBounded: false)
    let parts = address.split(separator: keySeparator, maxSplits: 1).map(String.init)
    if parts.count == 2 {
      let keys = try keyPair()
      try set(ZMQ_CURVE_SERVERKEY, parts[1], of: socket)
      try set(ZMQ_CURVE_PUBLICKEY, keys.public, of: socket)
      try set(ZMQ_CURVE_SECRETKEY, keys.secret, of: socket)
    }
    try set(ZMQ_SUBSCRIBE, "", of: socket)
    guard zmq_connect(socket, parts[0]) == 0 else { throw Failure("zmq_connect") }
    try withUnsafeTemporaryAllocation(byteCount: Message.byteCount, alignment: 8) { capacity in
      while true {
        let count = zmq_recv(socket, capacity.baseAddress, capacity.count, 0)
        guard count == capacity.count, let message = Message(bytes: UnsafeRawBufferPointer(capacity)) else {
          throw Failure("zmq_recv")
        }
        heard(message, 1)
      }
    }
  }

  // MARK: Calls of libzmq

  private static func open(
    _ kind: Int32, isBounded: Bool
  ) throws -> (context: UnsafeMutableRawPointer, socket: UnsafeMutableRawPointer) {
    guard let context = zmq_ctx_new(), let socket = zmq_socket(context, kind) else { throw Failure("zmq_socket") }
    // What nobody has taken yet is not waited for at the end.
    try set(ZMQ_LINGER, 0, of: socket)
    if !isBounded {
      try set(ZMQ_SNDHWM, 0, of: socket)
      try set(ZMQ_RCVHWM, 0, of: socket)
    }
    return (context, socket)
  }

  private static func set(_ option: Int32, _ value: CInt, of socket: UnsafeMutableRawPointer) throws {
    var value = value
    guard zmq_setsockopt(socket, option, &value, MemoryLayout<CInt>.size) == 0 else { throw Failure("zmq_setsockopt") }
  }

  private static func set(_ option: Int32, _ text: String, of socket: UnsafeMutableRawPointer) throws {
    guard zmq_setsockopt(socket, option, text, text.utf8.count) == 0 else { throw Failure("zmq_setsockopt") }
  }

  private static func keyPair() throws -> (public: String, secret: String) {
    var texts = ([CChar](repeating: 0, count: 41), [CChar](repeating: 0, count: 41))
    guard zmq_curve_keypair(&texts.0, &texts.1) == 0 else { throw Failure("zmq_curve_keypair") }
    return (text(texts.0), text(texts.1))
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
