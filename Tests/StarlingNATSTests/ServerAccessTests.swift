#if NATS
  import Foundation
  import StarlingCore
  import StarlingEngine
  import StarlingGuard
  import StarlingReplica
  import Testing

  @testable import StarlingNATS

  /// What servers ask for beyond a password, and servers that are not there yet.
  @Suite(.timeLimit(.minutes(10))) struct `A cluster is entered` {
    /// Starts a link, and says why it does not start.
    private func refusal(of server: Server, _ access: NATSAccess, at url: String? = nil) throws -> LinkError? {
      let link = try NATSLink(servers: [url ?? server.url], group: "test", access: access, limits: .brisk)
      defer { link.stop(linger: .zero) }
      do {
        try link.start(tick: .seconds(1)) { _ in }
        return nil
      } catch let error as LinkError {
        return error
      }
    }

    private func file(_ name: String, _ text: String, beside server: Server) throws -> String {
      let path = "\(server.directory)/\(name)"
      try text.write(toFile: path, atomically: true, encoding: .utf8)
      return path
    }

    // MARK: With keys and credentials

    @Test func `with the seed of an NKEY that the server knows`() async throws {
      let server = try await Server("authorization: { users: [{ nkey: \(CredentialsFixture.publicName) }] }")
      var access = NATSAccess()
      #expect(try refusal(of: server, access)?.message.contains("an NKEY") == true)
      access.nkey = try file("daemon.nk", "# of the daemon\n\(CredentialsFixture.seed)\n", beside: server)
      // Each time another signature.
      for _ in 0..<50 {
        let refusal = try refusal(of: server, access)
        #expect(refusal == nil, "\(String(describing: refusal))")
      }
    }

    @Test func `with credentials of an account`() async throws {
      let server = try await Server(CredentialsFixture.settings)
      var access = NATSAccess()
      #expect(try refusal(of: server, access)?.message.contains("file of credentials") == true)
      access.credentials = try file("daemon.creds", CredentialsFixture.credentials, beside: server)
      let refusal = try refusal(of: server, access)
      #expect(refusal == nil, "\(String(describing: refusal))")
    }

    @Test func `not with a file that holds something else, which is named`() async throws {
      let server = try await Server(CredentialsFixture.settings)
      let wrong = try file("wrong", "nothing of the kind", beside: server)
      let missing = "\(server.directory)/missing"
      for (change, named) in [
        (\NATSAccess.nkey, wrong), (\.nkey, missing), (\.credentials, missing), (\.tlsAuthorities, wrong),
        (\.tlsAuthorities, missing),
      ] {
        var access = NATSAccess()
        access[keyPath: change] = named
        let error = try refusal(of: server, access)
        #expect(error?.code == .system)
        #expect(error?.message.contains(named) == true, "\(String(describing: error))")
      }
      var halved = NATSAccess()
      halved.tlsKey = wrong
      #expect(try refusal(of: server, halved)?.message.contains("name both files") == true)
    }

    @Test func `under the name that the seed of an NKEY has`() {
      #expect(NKey(seedIn: CredentialsFixture.seed)?.publicName == CredentialsFixture.publicName)
      for index in CredentialsFixture.seed.indices {
        var text = CredentialsFixture.seed
        let letter: Character = text[index] == "A" ? "B" : "A"
        text.replaceSubrange(index...index, with: [letter])
        #expect(NKey(seedIn: text) == nil, "a changed letter at \(text.distance(from: text.startIndex, to: index))")
        #expect(NKey(seedIn: String(text[..<index])) == nil)
      }
    }

    // MARK: Over TLS

    @Test func `over TLS where a named authority signed the server's certificate`() async throws {
      let server = try await Server(tls: true)
      let url = "tls://127.0.0.1:\(server.port)"
      var access = NATSAccess()
      access.tlsAuthorities = "\(server.directory)/authority.pem"
      #expect(try refusal(of: server, access, at: url) == nil)
      #expect(try refusal(of: server, access, at: server.url) == nil)
      // An authority that signed another server's certificate only.
      let other = try await Server(tls: true)
      access.tlsAuthorities = "\(other.directory)/authority.pem"
      let error = try refusal(of: server, access, at: url)
      #expect(error?.message.contains("TLS") == true, "\(String(describing: error))")
      #expect(try refusal(of: server, NATSAccess(), at: url)?.message.contains("TLS") == true)
    }

    // MARK: By addresses

    @Test func `at an address that can be one`() throws {
      for text in [
        "127.0.0.1", "nats://a.example", "NATS://a.example:4222", "tls://[::1]:4222", "nats://ada:p@ss@a_b-c.example:1",
      ] {
        #expect(throws: Never.self) { try ServerAddress(text) }
      }
      #expect(try ServerAddress("nats://ada:secret@host:4222").place == "nats://host:4222")
      for text in [
        "", "http//x", "http://x", "nats://", "nats://:4222", "nats://a:", "nats://a:0", "nats://a:65536",
        "nats://a:+1",
        "nats://a/b", "nats://a b", "nats://[::1", "nats://[]:4222", "nats://[::1]x", "nats://a:1:2", "://a", "nats:a",
      ] {
        let error = #expect(throws: LinkError.self, "\(text)") { try ServerAddress(text) }
        #expect(error?.code == .endpoint)
      }
      let error = #expect(throws: LinkError.self) { try ServerAddress("natz://ada:secret@host") }
      #expect(error?.message.contains("secret") == false)
      #expect(error?.message.contains("'natz://host'") == true)
    }

    // MARK: Late

    @Test func `by a link that started alone, once a server is there`() async throws {
      let server = try await Server()
      server.kill()
      let (changes, changed) = AsyncStream.makeStream(of: NATSLink.ConnectionChange.self)
      let link = try NATSLink(
        servers: [server.url], group: "test", limits: .brisk, startsAlone: true, onConnection: { changed.yield($0) })
      try link.start(tick: .milliseconds(10)) { _ in }
      defer { link.stop(linger: .zero) }
      var told = changes.makeAsyncIterator()
      guard case .waiting(let reason) = await told.next() else { throw Unexpected() }
      #expect(reason.code == .unreachable)
      #expect(link.endpoints() == nil)
      try await server.comeBack()
      guard case .connected = await told.next() else { throw Unexpected() }
      #expect(link.endpoints() == [])
      #expect(link.counters.reconnects == 0)
      server.kill()
      guard case .lost = await told.next() else { throw Unexpected() }
      try await server.comeBack()
      guard case .connected = await told.next() else { throw Unexpected() }
    }

    @Test func `not by a link that would start alone, where a server refuses it`() async throws {
      let server = try await Server("authorization: { user: ada, password: secret }")
      // Each time libnats begins to try again while we ask why.
      for _ in 0..<200 {
        let link = try NATSLink(servers: [server.url], group: "test", limits: .brisk, startsAlone: true)
        defer { link.stop(linger: .zero) }
        let error = #expect(throws: LinkError.self) { try link.start(tick: .seconds(1)) { _ in } }
        #expect(error?.message.contains("refuses us") == true, "\(String(describing: error))")
      }
    }

    @Test func `again by a link that was refused, once it is let in`() async throws {
      let server = try await Server("authorization: { user: ada, password: secret }")
      let (changes, changed) = AsyncStream.makeStream(of: NATSLink.ConnectionChange.self)
      var limits = NATSLink.Limits.brisk
      limits.refused = .milliseconds(100)
      let link = try NATSLink(
        servers: ["nats://ada:secret@127.0.0.1:\(server.port)"], group: "test", limits: limits, startsAlone: true,
        onConnection: { changed.yield($0) })
      try link.start(tick: .milliseconds(10)) { _ in }
      defer { link.stop(linger: .zero) }
      var told = changes.makeAsyncIterator()
      guard case .connected = await told.next() else { throw Unexpected() }
      server.kill()
      guard case .lost = await told.next() else { throw Unexpected() }
      try await server.comeBack(with: "authorization: { user: ada, password: another }")
      // A server that hangs up while we still speak may not be heard to refuse us, until we ask again.
      var refusal: LinkError?
      while refusal == nil, let change = await told.next() {
        if case .refused(let reason) = change { refusal = reason }
      }
      let reason = try #require(refusal)
      #expect(reason.message.contains("refuses us"))
      #expect(!reason.message.contains("secret"))
      server.kill()
      try await server.comeBack(with: "authorization: { user: ada, password: secret }")
      while let change = await told.next() {
        if case .connected = change { break }
      }
      #expect(link.endpoints() == [])
    }

    private struct Unexpected: Error {}
  }
#endif
