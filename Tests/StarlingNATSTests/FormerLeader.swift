#if NATS
  import Foundation

  /// Somebody who answers whoever writes to a stream that it ends at an earlier message: so speaks a leader that was
  /// cut off, until it hears of the next one. It speaks the servers' own protocol, as a client among others.
  ///
  /// ```
  ///   MSG starlinglog1.test.shared 1 _INBOX.abc 12        what is written, and where an answer is waited for
  ///   PUB _INBOX.abc 120                                  the answer
  /// ```
  final class FormerLeader: Sendable {
    private let socket: Int32
    private let answers: AsyncStream<Void>

    /// - Parameter last: where the stream ends as far as it knows.
    init(at server: Server, of stream: String, root: String, last: UInt64) throws {
      let (answers, answering) = AsyncStream.makeStream(of: Void.self)
      self.answers = answers
      let socket = try Self.dial(server.port)
      self.socket = socket
      // Once the answer to PING is here the subscription stands.
      try Self.say("CONNECT {\"verbose\":false,\"headers\":false}\r\nSUB \(root).> 1\r\nPING\r\n", to: socket)
      var lines = Lines(socket)
      while let line = lines.next(), !line.hasPrefix("PONG") {}
      let refusal =
        "{\"error\":{\"code\":400,\"err_code\":10071,\"description\":\"wrong last sequence: \(last)\"},\"stream\":"
        + "\"\(stream)\",\"seq\":0}"
      let rest = lines
      Thread.detachNewThread {
        var lines = rest
        while let line = lines.next() {
          if line.hasPrefix("PING") { try? Self.say("PONG\r\n", to: socket) }
          let words = line.split(separator: " ")
          guard words.first == "MSG", words.count == 5 else { continue }
          try? Self.say("PUB \(words[3]) \(refusal.utf8.count)\r\n\(refusal)\r\n", to: socket)
          answering.yield()
        }
        answering.finish()
      }
    }

    deinit { close(socket) }

    /// Returns once it has answered as many times, or is over.
    func hasAnswered(_ count: Int) async {
      var rest = count
      for await _ in answers {
        rest -= 1
        if rest == 0 { return }
      }
    }

    func end() { shutdown(socket, Int32(SHUT_RDWR)) }

    // MARK: The connection

    private static func dial(_ port: Int) throws -> Int32 {
      let socket = Foundation.socket(AF_INET, streamType, 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let status = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard status == 0 else { throw Server.Missing(description: "nobody listens at port \(port)") }
      return socket
    }

    private static func say(_ text: String, to socket: Int32) throws {
      let bytes = Array(text.utf8)
      guard write(socket, bytes, bytes.count) == bytes.count else {
        throw Server.Missing(description: "the connection to the server has ended")
      }
    }

    /// What the server says, line by line; of a message's own bytes, which are among them, none begins with a word from
    /// the protocol.
    private struct Lines: Sendable {
      let socket: Int32
      private var bytes: [UInt8] = []

      init(_ socket: Int32) { self.socket = socket }

      mutating func next() -> String? {
        while true {
          if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
            defer { bytes.removeSubrange(...end) }
            return String(decoding: bytes[..<end], as: UTF8.self)
          }
          var piece = [UInt8](repeating: 0, count: 4096)
          let count = read(socket, &piece, piece.count)
          guard count > 0 else { return nil }
          bytes += piece[..<count]
        }
      }
    }

    #if canImport(Glibc)
      private static let streamType = Int32(SOCK_STREAM.rawValue)
    #else
      private static let streamType = SOCK_STREAM
    #endif
  }
#endif
