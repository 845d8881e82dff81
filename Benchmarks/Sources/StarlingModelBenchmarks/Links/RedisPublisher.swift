import CRedis
import Foundation
import Measuring

/// `PUBLISH` and `SUBSCRIBE` of a Redis server that is started for it and keeps nothing on disk, through hiredis.
///
/// For latency every command waits for its reply; for rate they go in pipelines of `pipelineCount`.
final class RedisPublisher: Publisher {
  let address: String
  private let server: Server
  private let context: UnsafeMutablePointer<redisContext>
  private let purpose: Purpose
  private let words: [UnsafeMutablePointer<CChar>]
  /// Commands whose replies are outstanding.
  private var pendingCount = 0

  private static let channel = "benchmark"
  private static let pipelineCount = 500

  init(over transport: Transport, for purpose: Purpose) throws {
    // A subscriber that is behind is not thrown out, as it would be by default.
    let options = ["--save", "", "--appendonly", "no", "--client-output-buffer-limit", "pubsub 0 0 0"]
    switch transport {
    case .ipc:
      server = try Server("redis-server") { folder in ["--port", "0", "--unixsocket", folder + "/redis"] + options }
      address = server.folder + "/redis"
    case .tcp:
      let port = try Server.freePort()
      server = try Server("redis-server") { _ in ["--bind", "127.0.0.1", "--port", "\(port)"] + options }
      address = "127.0.0.1:\(port)"
    }
    self.purpose = purpose
    context = try server.whenReady { [address] in try Self.connect(to: address) }
    words = ["PUBLISH", Self.channel].map { (word: String) in strdup(word) }
  }

  func write(_ message: Message) {
    message.withBytes { bytes in
      var pointers: [3 of UnsafePointer<CChar>?] = [
        UnsafePointer(words[0]), UnsafePointer(words[1]), bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
      ]
      let counts: [3 of Int] = [strlen(words[0]), strlen(words[1]), bytes.count]
      withUnsafeMutableBytes(of: &pointers) { pointers in
        withUnsafeBytes(of: counts) { counts in
          _ = redisAppendCommandArgv(
            context, 3, pointers.assumingMemoryBound(to: UnsafePointer<CChar>?.self).baseAddress,
            counts.assumingMemoryBound(to: Int.self).baseAddress)
        }
      }
    }
    pendingCount += 1
    if purpose == .latency || message.kind != .write || pendingCount == Self.pipelineCount { drain() }
  }

  /// Sends what is pending, and takes the replies.
  private func drain() {
    while pendingCount > 0 {
      var reply: UnsafeMutableRawPointer?
      guard redisGetReply(context, &reply) == REDIS_OK else { break }
      freeReplyObject(reply)
      pendingCount -= 1
    }
  }

  func close() {
    redisFree(context)
    server.end()
    words.forEach { free($0) }
  }

  static func receive(from address: String, _ heard: Medium.Heard) throws {
    let context = try connect(to: address)
    var words: [UnsafePointer<CChar>?] = ["SUBSCRIBE", channel].map { (word: String) in UnsafePointer(strdup(word)) }
    freeReplyObject(redisCommandArgv(context, 2, &words, nil))
    while true {
      var reply: UnsafeMutableRawPointer?
      guard redisGetReply(context, &reply) == REDIS_OK, let reply else { throw failure(context) }
      // "message", the channel, what was published.
      let parts = reply.assumingMemoryBound(to: redisReply.self).pointee
      guard parts.elements == 3, let payload = parts.element[2]?.pointee, let text = payload.str,
        let message = Message(bytes: UnsafeRawBufferPointer(start: text, count: payload.len))
      else { throw LinkFailure("Redis sent what nobody published.") }
      heard(message, 1)
      freeReplyObject(reply)
    }
  }

  // MARK: Calls of hiredis

  private static func connect(to address: String) throws -> UnsafeMutablePointer<redisContext> {
    let colon = address.lastIndex(of: ":")
    let context =
      if let colon, let port = CInt(address[address.index(after: colon)...]) {
        redisConnect(String(address[..<colon]), port)
      } else {
        redisConnectUnix(address)
      }
    guard let context else { throw LinkFailure("hiredis has no memory left.") }
    guard context.pointee.err == 0 else {
      defer { redisFree(context) }
      throw failure(context)
    }
    return context
  }

  private static func failure(_ context: UnsafeMutablePointer<redisContext>) -> LinkFailure {
    withUnsafeBytes(of: &context.pointee.errstr) { bytes in
      LinkFailure("Redis: " + String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
    }
  }
}
