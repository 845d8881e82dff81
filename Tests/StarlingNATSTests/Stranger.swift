#if NATS
  import StarlingEngine
  import StarlingGuard
  import Testing

  @testable import StarlingNATS

  /// Somebody in the account who is no link: it may send any bytes to any subject, and hear all that passes.
  final class Stranger: Sendable {
    /// What passed on one of the subjects that it hears.
    struct Heard: Sendable {
      let subject: String
      let bytes: [UInt8]

      var kind: Envelope.Kind? { bytes.first.flatMap { Envelope.Kind(rawValue: $0) } }
    }

    let connection: Connection
    let subjects: Subjects
    private let inbox: Inbox
    private let taps: [String]
    private let heard = Guarded<[Heard]>([])
    private let changes: AsyncStream<Void>

    /// - Parameter taps: subjects that it hears, given those of the group.
    init(_ server: Server, hearing taps: (Subjects) -> [String] = { _ in [] }) throws {
      let (changes, changing) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      self.changes = changes
      inbox = Inbox(limits: .brisk) { changing.yield() }
      connection = try Connection(to: Servers([server.url]), inbox: inbox, limits: .brisk)
      subjects = try Subjects(group: "test")
      self.taps = taps(subjects)
      for (place, tap) in self.taps.enumerated() { connection.subscribe(to: tap, as: .topic(stem: [UInt8(place)])) }
      connection.flush(timeout: .seconds(60))
    }

    func say(_ bytes: [UInt8], on subject: String) {
      let isSaid = connection.publish(bytes, to: subject)
      #expect(isSaid)
    }

    func member(at endpoint: String) throws -> MemberID { try subjects.member(at: endpoint) }

    /// One caller at a time.
    var all: [Heard] {
      for (channel, bytes) in inbox.takeAll().messages {
        guard case .topic(let stem) = channel, let place = stem.first else { continue }
        heard.withLock { $0.append(Heard(subject: taps[Int(place)], bytes: bytes)) }
      }
      return heard.withLock { $0 }
    }

    /// Returns once the condition holds of what was heard. The suite's limit bounds it.
    func until(_ condition: ([Heard]) -> Bool) async throws {
      if condition(all) { return }
      for await _ in changes where condition(all) { return }
      throw Party.NeverCame(description: "a stranger never heard it")
    }
  }
#endif
