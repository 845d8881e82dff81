#if NATS
  import CNATS
  import Foundation
  import StarlingGuard
  import Synchronization

  @testable import StarlingNATS

  /// Somebody who answers whoever writes to a stream that it ends at an earlier message: so speaks a leader that was cut
  /// off, until it hears of the next one.
  final class FormerLeader: Sendable {
    private let isOver = Atomic(false)
    private let answers: AsyncStream<Void>

    /// - Parameter last: where the stream ends as far as it knows.
    init(at server: Server, of stream: String, root: String, last: UInt64) throws {
      let (answers, answering) = AsyncStream.makeStream(of: Void.self)
      self.answers = answers
      let servers = try JetStreamConnection(to: [server.url], limits: .patient)
      var made: OpaquePointer?
      guard natsConnection_SubscribeSync(&made, servers.connection, root + ".>") == NATS_OK,
        natsConnection_Flush(servers.connection) == NATS_OK
      else { throw Server.Missing(description: "no subscription at \(server.url)") }
      // Handed to the one thread that uses them from here on.
      nonisolated(unsafe) let (connection, subscription) = (servers, made)
      Thread.detachNewThread { [self] in
        defer { natsSubscription_Destroy(subscription) }
        let refusal =
          "{\"error\":{\"code\":400,\"err_code\":\(JSStreamWrongLastSequenceErr.rawValue),\"description\":\"wrong last "
          + "sequence: \(last)\"},\"stream\":\"\(stream)\",\"seq\":0}"
        while !isOver.load(ordering: .relaxed) {
          var message: OpaquePointer?
          defer { natsMsg_Destroy(message) }
          guard natsSubscription_NextMsg(&message, subscription, 50) == NATS_OK, let message,
            let reply = natsMsg_GetReply(message)
          else { continue }
          natsConnection_PublishString(connection.connection, reply, refusal)
          answering.yield()
        }
        answering.finish()
      }
    }

    /// Returns once it has answered as many times, or is over.
    func hasAnswered(_ count: Int) async {
      var rest = count
      for await _ in answers {
        rest -= 1
        if rest == 0 { return }
      }
    }

    func end() { isOver.store(true, ordering: .relaxed) }
  }
#endif
