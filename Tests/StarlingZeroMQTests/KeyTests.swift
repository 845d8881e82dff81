import StarlingEngine
import StarlingGuard
import StarlingZeroMQ
import Testing

/// The keys that a link admits, changed by the test while it runs.
private final class Allowlist: Sendable {
  private let admissions = Guarded<[PublicKey: ZeroMQLink.Admission]>([:])

  subscript(key: PublicKey) -> ZeroMQLink.Admission {
    get { admissions.withLock { $0[key] ?? .refused } }
    set { admissions.withLock { $0[key] = newValue } }
  }

  func security(_ keys: KeyPair) -> ZeroMQLink.Security {
    ZeroMQLink.Security(keys: keys) { self[$0] }
  }
}

/// A link with keys at `endpoint`, and another that dials it with keys of its own.
private struct House {
  let allowlist = Allowlist()
  let serverKeys: KeyPair
  let clientKeys: KeyPair

  init() throws {
    serverKeys = try KeyPair()
    clientKeys = try KeyPair()
  }

  func with(
    dialling key: PublicKey? = nil, _ body: (_ server: Party, _ client: Party, _ peer: PeerHandle) async throws -> Void
  ) async throws {
    try await Party.with(security: allowlist.security(serverKeys)) { server in
      try await Party.with(security: ZeroMQLink.Security(keys: clientKeys) { _ in .refused }) { client in
        let bound = try await server.bind("tcp://127.0.0.1:0")
        #expect(bound.hasPrefix("tcp://\(serverKeys.publicKey)@127.0.0.1:"))
        let address = bound.split(separator: "@")[1]
        let peer = try await client.connect(to: "tcp://\(key.map { "\($0)@" } ?? "")\(address)")
        try await body(server, client, peer)
      }
    }
  }
}

@Suite struct `A key` {
  @Test func `is written in 43 characters that no shell takes apart, and read back`() throws {
    for _ in 0..<50 {
      let keys = try KeyPair()
      #expect(keys.publicKey.description.count == 43)
      #expect(
        keys.publicKey.description.utf8.allSatisfy { byte in
          Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber || byte == 45 || byte == 95
        })
      #expect(PublicKey(keys.publicKey.description) == keys.publicKey)
      #expect(try KeyPair(secretText: keys.secretText).publicKey == keys.publicKey)
    }
  }

  @Test(arguments: ["", "abc", String(repeating: "A", count: 42), String(repeating: "A", count: 44), "\u{0}"])
  func `that is none is refused`(text: String) {
    #expect(PublicKey(text) == nil)
    #expect(throws: LinkError.self) { try KeyPair(secretText: text) }
  }

  @Test func `with bits left over is not a second spelling`() {
    let zero = String(repeating: "A", count: 43)
    #expect(PublicKey(zero) != nil)
    #expect(PublicKey(zero.dropLast() + "B") == nil)
  }
}

@Suite struct `A link with keys` {
  @Test func `lets in the peer that it admits, and knows who it is`() async throws {
    let guarded = try House()
    guarded.allowlist[guarded.clientKeys.publicKey] = .everything
    try await guarded.with(dialling: guarded.serverKeys.publicKey) { server, client, peer in
      try await client.until("the connection") { $0.opened(dialled: true) == [peer] }
      await client.send("hello", to: peer)
      try await server.until("a greeting") { $0.direct == ["hello"] }
      #expect(await server.users == [guarded.clientKeys.publicKey.description])
      #expect(await server.send("and to you", to: server.speakers["hello"]!))
      try await client.until("the answer") { $0.direct == ["and to you"] }
      await client.subscribe("news")
      while await client.published.isEmpty {
        await server.publish("news?")
        try await client.untilNextBatch()
      }
    }
  }

  @Test func `refuses a key that is not in its allowlist, and says so`() async throws {
    let guarded = try House()
    try await guarded.with(dialling: guarded.serverKeys.publicKey) { server, client, peer in
      try await client.until("the refusal") { $0.failures == [.notAdmitted] }
      #expect(await client.opened(dialled: true).isEmpty)
      #expect(!(await client.send("hello", to: peer)))
      try await server.until("the count") { $0.link.counters.keysRefused > 0 }
      #expect(client.link.counters.handshakesDialled.notAdmitted > 0)
      let refused = TurnedAway(.notAdmitted, user: guarded.clientKeys.publicKey.description, address: "127.0.0.1")
      try await server.until("who it was") { Set($0.turnedAway) == [refused] }
      #expect(await server.opened(dialled: false).isEmpty)
    }
  }

  @Test func `is not taken for another`() async throws {
    let guarded = try House()
    guarded.allowlist[guarded.clientKeys.publicKey] = .everything
    let wrong = try KeyPair().publicKey
    try await guarded.with(dialling: wrong) { server, client, _ in
      try await client.until("the failure") { $0.failures == [.unproved] }
      #expect(await client.opened(dialled: true).isEmpty)
      #expect(await server.opened(dialled: false).isEmpty)
    }
  }

  @Test func `refuses a peer that dials without keys, and says so`() async throws {
    let guarded = try House()
    try await guarded.with { server, client, _ in
      try await client.until("the failure") { $0.failures == [.wantsKeys] }
      #expect(await server.opened(dialled: false).isEmpty)
      // Either side may be the first to find out and to hang up, and it tries no more.
      try await server.until("its end") { !$0.turnedAway.isEmpty }
    }
  }

  @Test func `says who came without keys`() async throws {
    let guarded = try House()
    try await Party.with(security: guarded.allowlist.security(guarded.serverKeys)) { server in
      let stranger = Stranger(port: port(of: try await server.bind("tcp://127.0.0.1:0")))
      stranger.greet()
      try await server.until("who it was") { !$0.turnedAway.isEmpty }
      let turnedAway = await server.turnedAway
      #expect(turnedAway.map(\.reason) == [.unproved])
      // It may have been hung up on before anybody looked where it came from.
      #expect([nil, "127.0.0.1"].contains(turnedAway.first?.address))
      #expect(server.link.counters.handshakesAccepted.notUnderstood == 1)
      #expect(await server.opened(dialled: false).isEmpty)
      stranger.leave()
    }
  }

  @Test func `says where a peer came from that broke off`() async throws {
    let guarded = try House()
    try await Party.with(security: guarded.allowlist.security(guarded.serverKeys)) { server in
      let bound = try await server.bind("tcp://127.0.0.1:0")
      let stranger = Stranger(port: try #require(UInt16(bound.split(separator: ":").last ?? "")))
      stranger.say(Array("GET / HTTP/1.1\r\n\r\n".utf8))
      stranger.hangUp()
      try await server.until("who it was") { !$0.turnedAway.isEmpty }
      let turnedAway = await server.turnedAway
      #expect(turnedAway.map(\.reason) == [.unfinished])
      // It may have gone before anybody looked where it came from.
      #expect([nil, "127.0.0.1"].contains(turnedAway.first?.address))
    }
  }

  @Test func `cuts a peer that is admitted no more, and lets it in when it is again`() async throws {
    let guarded = try House()
    let key = guarded.clientKeys.publicKey
    guarded.allowlist[key] = .everything
    try await guarded.with(dialling: guarded.serverKeys.publicKey) { server, client, peer in
      try await client.until("the connection") { $0.opened(dialled: true) == [peer] }
      await client.subscribe("news")
      await client.send("hello", to: peer)
      try await server.until("a greeting") { $0.direct == ["hello"] }
      while await client.published.isEmpty {
        await server.publish("news?")
        try await client.untilNextBatch()
      }
      guarded.allowlist[key] = .refused
      try await client.until("the end") { $0.closed == [peer] }
      try await server.until("the end") { $0.closed.count == 1 }
      let revoked = TurnedAway(.revoked, user: key.description, address: "127.0.0.1")
      try await server.until("who it was") { $0.turnedAway.contains(revoked) }
      try await client.until("the refusal") { $0.failures == [.notAdmitted] }
      let count = await client.published.count
      for _ in 0..<10 { await server.publish("news?") }
      guarded.allowlist[key] = .everything
      try await client.until("the connection") { $0.opened(dialled: true) == [peer, peer] }
      #expect(await client.published.count == count)
      #expect(client.link.counters.reconnects == 1)
    }
  }

  @Test func `answers a peer that may not receive everything, and publishes nothing to it`() async throws {
    let guarded = try House()
    guarded.allowlist[guarded.clientKeys.publicKey] = .directOnly
    try await guarded.with(dialling: guarded.serverKeys.publicKey) { server, client, peer in
      await client.subscribe("")
      try await client.until("the connection") { $0.opened(dialled: true) == [peer] }
      await client.send("hello", to: peer)
      try await server.until("a greeting") { $0.direct == ["hello"] }
      for _ in 0..<50 { await server.publish("news") }
      #expect(await server.send("yours", to: server.speakers["hello"]!))
      try await client.until("the answer") { $0.direct == ["yours"] }
      #expect(await client.published.isEmpty)
    }
  }

  @Test func `goes on without keys among the processes of its machine`() async throws {
    try await withScratchDirectory { directory in
      let guarded = try House()
      try await Party.with(security: guarded.allowlist.security(guarded.serverKeys)) { server in
        _ = try await server.bind("tcp://127.0.0.1:0")
        let bound = try await server.bind("ipc://\(directory)/server")
        try await Party.with { client in
          let peer = try await client.connect(to: bound)
          try await client.until("the connection") { $0.opened(dialled: true) == [peer] }
          await client.subscribe("news")
          await client.send("hello", to: peer)
          try await server.until("a greeting") { $0.direct == ["hello"] }
          #expect(await server.users.isEmpty)
          while await client.published.isEmpty {
            await server.publish("news?")
            try await client.untilNextBatch()
          }
        }
      }
    }
  }

  @Test func `listens beyond loopback`() async throws {
    let guarded = try House()
    try await Party.with(security: guarded.allowlist.security(guarded.serverKeys)) { server in
      let bound = try await server.bind("tcp://0.0.0.0:0")
      #expect(bound.hasPrefix("tcp://\(guarded.serverKeys.publicKey)@0.0.0.0:"))
      let error = await #expect(throws: LinkError.self) {
        try await server.bind("tcp://\(try KeyPair().publicKey)@127.0.0.1:0")
      }
      #expect(error?.code == .endpoint)
    }
  }
}
