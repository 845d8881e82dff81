import Foundation
@testable import Starling
@testable import StarlingReplica
import StarlingZeroMQ
import Testing

@Suite struct `A directory of keys` {
  private func directory(in group: borrowing Group, _ name: String = "keys") -> KeyDirectory {
    KeyDirectory("\(group.path)/\(name)")
  }

  @Test func `keeps a secret that nobody else reads, and makes it once`() throws {
    let group = try Group()
    let directory = directory(in: group)
    let key = try directory.makeKeys()
    #expect(try directory.keys().publicKey == key)
    let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/secret")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(throws: KeyDirectoryError.self) { try directory.makeKeys() }
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: directory.path + "/secret")
    let error = #expect(throws: KeyDirectoryError.self) { try directory.keys() }
    #expect(error?.code == .open)
    #expect(error?.message.contains("chmod 600") == true)
  }

  @Test func `says what to do where there are no keys`() throws {
    let group = try Group()
    let error = #expect(throws: KeyDirectoryError.self) { try directory(in: group).keys() }
    #expect(error?.code == .missing)
    #expect(error?.message.contains("starling keys new") == true)
  }

  @Test func `remembers what each key may do`() throws {
    let group = try Group()
    let directory = directory(in: group)
    try directory.makeKeys()
    let ada = AllowedKey(
      name: "ada", key: try KeyPair().publicKey, role: .reads,
      documents: [DocumentPattern("library")!, DocumentPattern("notes-*")!], expires: AllowedKey.date("2027-01-01"))
    let bob = AllowedKey(name: "bob", key: try KeyPair().publicKey)
    try directory.authorize(ada)
    try directory.authorize(bob)
    #expect(try directory.allowed().keys == [ada, bob])
    // One key has one name.
    #expect(throws: KeyDirectoryError.self) { try directory.authorize(AllowedKey(name: "eve", key: ada.key)) }
    #expect(throws: KeyDirectoryError.self) { try directory.authorize(AllowedKey(name: "../eve", key: bob.key)) }
    try directory.revoke("ada")
    #expect(try directory.allowed().keys == [bob])
    let error = #expect(throws: KeyDirectoryError.self) { try directory.revoke("ada") }
    #expect(error?.message == "Nobody is let in as 'ada'. There is: bob.")
  }

  @Test(arguments: [
    ("7 ada 5\nff bob 6\n", ["7 ada", "ff bob"]),
    // A line that was torn when the machine stopped says nothing.
    ("7 ada 5\nff b", ["7 ada"]),
    // A version before this one wrote keys; those that are let in have names now.
    ("7 KEY\n", ["7 ada"]),
    ("", []),
  ])
  func `keeps whose each replica id is`(text: String, writers: [String]) async throws {
    let group = try Group()
    let directory = directory(in: group)
    try directory.makeKeys()
    let key = try KeyPair().publicKey
    try directory.authorize(AllowedKey(name: "ada", key: key))
    try Data(text.replacing("KEY", with: "\(key)").utf8).write(to: URL(filePath: directory.path + "/writers"))
    #expect(try directory.writers().map { "\(String($0.replica.rawValue, radix: 16)) \($0.name)" } == writers)
    try directory.note([WriterBinding(replica: ReplicaID(rawValue: 9), name: "cid", boundAt: 7)])
    let kept = try directory.writers().map { "\(String($0.replica.rawValue, radix: 16)) \($0.name)" }
    #expect(kept == writers + ["9 cid"])
  }

  @Test func `keeps for what writers were suspended, and is opened by nobody who cannot say that`() async throws {
    let group = try Group()
    let directory = directory(in: group)
    try directory.makeKeys()
    let reports = ["library", "two words", "line\nbreak", "100%"].enumerated().map { place, name in
      EquivocationReport(Dot(ReplicaID(rawValue: .max), UInt64(place) + 1), in: DocumentID(name)!)
    }
    for report in reports { try directory.noteEquivocation(report) }
    #expect(try directory.equivocations() == reports)
    try Data("nonsense\n".utf8).write(to: URL(filePath: directory.path + "/equivocations"))
    let error = await #expect(throws: KeyDirectoryError.self) {
      _ = try await group.open { $0.keys = directory }
    }
    #expect(error?.code == .unreadable)
    #expect(error?.message.contains("equivocations") == true)
  }

  @Test(arguments: ["7 ada 5\nnonsense\n", "x ada 5\n", "7 a/b 5\n", "7 ada soon\n", "\u{FF}"])
  func `lets nobody open a replica who cannot say whose each replica id is`(text: String) async throws {
    let group = try Group()
    let directory = directory(in: group)
    try directory.makeKeys()
    var bytes = Data(text.utf8)
    if text == "\u{FF}" { bytes = Data([0xFF, 0x0A]) }
    try bytes.write(to: URL(filePath: directory.path + "/writers"))
    let error = await #expect(throws: KeyDirectoryError.self) {
      _ = try await group.open { $0.keys = directory }
    }
    #expect(error?.code == .unreadable)
    #expect(error?.message.contains("writers") == true)
  }

  @Test(arguments: [
    ("key: abc\nrole: reads\ndocuments: *", "ada:1: 'abc' is no public key"),
    ("role: reads\ndocuments: *", "ada: it has no 'key:'"),
    ("KEY\ndocuments: *", "ada: it needs 'role: reads'"),
    ("KEY\nrole: admin\ndocuments: *", "ada:2: it needs 'role: reads'"),
    ("KEY\nrole: reads", "ada: it has no 'documents:'"),
    ("KEY\nrole: reads\ndocuments: a, *b", "ada:3: '*b' names no documents"),
    ("KEY\nrole: reads\ndocuments: *\nexpires: soon", "ada:4: 'soon' is no time"),
    ("KEY\n# for Ada\n\nrole: reads\nrole: writes\ndocuments: *", "ada:5: 'role' is no field, or is here twice"),
    ("KEY\nrole reads\ndocuments: *", "ada:2: a line is a field"),
  ])
  func `lets nobody in by a file it cannot read, and says where`(text: String, message: String) throws {
    let group = try Group()
    let directory = directory(in: group)
    try directory.makeKeys()
    try directory.authorize(AllowedKey(name: "bob", key: try KeyPair().publicKey))
    let text = text.replacing("KEY", with: "key: \(try KeyPair().publicKey)")
    try Data(text.utf8).write(to: URL(filePath: directory.path + "/allowed/ada"))
    let (keys, errors) = try directory.allowed()
    #expect(keys.map(\.name) == ["bob"])
    #expect(errors.count == 1)
    #expect(errors.first?.message.contains(message) == true, "\(errors)")
  }
}

@Suite struct `An endpoint that a peer names as its own` {
  @Test func `is dialled back where this user or a relay of the allowlist answers, and nowhere else`() throws {
    let (relay, writer) = (try KeyPair().publicKey, try KeyPair().publicKey)
    func isVouchedFor(_ endpoint: String, by user: PublicKey?) -> Bool {
      DialBack.isVouchedFor(endpoint, by: user?.description) { $0 == relay }
    }
    for local in ["ipc:///run/starling/a", "tcp://127.0.0.1:7400", "tcp://[::1]:7400"] {
      #expect(isVouchedFor(local, by: nil))
      #expect(!isVouchedFor(local, by: relay))
    }
    for distant in ["tcp://192.0.2.7:7400", "tcp://example.org:7400", "tcp://127.0.0.1:0", "nothing"] {
      #expect(!isVouchedFor(distant, by: nil))
      #expect(!isVouchedFor(distant, by: relay))
    }
    #expect(isVouchedFor("tcp://\(relay)@192.0.2.7:7400", by: relay))
    #expect(isVouchedFor("tcp://\(relay)@192.0.2.7:7400", by: nil))
    #expect(!isVouchedFor("tcp://\(writer)@192.0.2.7:7400", by: writer))
    #expect(!isVouchedFor("tcp://\(writer)@192.0.2.7:7400", by: relay))
    #expect(!isVouchedFor("tcp://\(relay)@192.0.2.7:7400", by: writer))
  }
}

@Suite(.timeLimit(.minutes(10))) struct `A daemon with keys` {
  /// A daemon at a port of this machine, and where clients dial it.
  private func daemon(_ group: borrowing Group) async throws -> (Replica, KeyDirectory, endpoint: String) {
    let keys = KeyDirectory("\(group.path)/server-keys")
    try keys.makeKeys()
    let replica = try await group.open("server") { options in
      options.isDaemon = true
      options.joinsThisMachine = false
      options.keys = keys
      options.listen = ["tcp://127.0.0.1:0"]
    }
    let endpoint = await replica.status().endpoints[0]
    return (replica, keys, endpoint)
  }

  private func client(
    _ group: borrowing Group, _ name: String, dialling endpoint: String
  ) async throws -> (Replica, PublicKey) {
    let keys = KeyDirectory("\(group.path)/\(name)-keys")
    let key = try keys.makeKeys()
    let replica = try await group.open { options in
      options.joinsThisMachine = false
      options.keys = keys
      options.connect = [endpoint]
    }
    return (replica, key)
  }

  @Test func `keeps step with those it lets in, from the moment it does until it does no more`() async throws {
    let group = try Group()
    let (server, keys, endpoint) = try await daemon(group)
    let (ada, key) = try await client(group, "ada", dialling: endpoint)
    let written = try ada.model(Book.self, named: "front-desk")
    let kept = try server.model(Book.self, named: "front-desk")
    written.title = "Dune"
    // Not let in yet.
    #expect(await !ada.synchronize(timeout: .milliseconds(300)))
    try keys.authorize(AllowedKey(name: "ada", key: key))
    try await ada.flush(until: .replicated(1))
    #expect(kept.title == "Dune")
    // Its name was kept: who wrote as this replica is known after a restart too.
    let writers = try String(contentsOfFile: keys.path + "/writers", encoding: .utf8)
    #expect(writers.hasPrefix("\(String(ada.writer.rawValue, radix: 16)) ada "))
    #expect(writers.split(separator: "\n").count == 1)
    try keys.revoke("ada")
    for await peers in AsyncStream(unfolding: { await ada.status().peers.count }) where peers == 0 { break }
    kept.title = "Emma"
    #expect(await !ada.synchronize(timeout: .milliseconds(300)))
    #expect(written.title == "Dune")
    try await ada.close()
    try await server.close()
  }

  @Test func `holds clients to the documents and the role of their key`() async throws {
    let group = try Group()
    let (server, keys, endpoint) = try await daemon(group)
    let (bob, bobsKey) = try await client(group, "bob", dialling: endpoint)
    let (cid, cidsKey) = try await client(group, "cid", dialling: endpoint)
    try keys.authorize(AllowedKey(name: "bob", key: bobsKey, role: .reads))
    try keys.authorize(AllowedKey(name: "cid", key: cidsKey, documents: [DocumentPattern("other-*")!]))
    let kept = try server.model(Book.self, named: "front-desk")
    kept.title = "Dune"
    let read = try bob.model(Book.self, named: "front-desk")
    let hidden = try cid.model(Book.self, named: "front-desk")
    for await title in Observations({ read.title }) where title == "Dune" { break }
    read.title = "Mine"
    hidden.title = "Hers"
    for await denied in AsyncStream(unfolding: { await server.status().counters.denied }) where denied > 0 { break }
    kept.title = "Emma"
    #expect(kept.title == "Emma")
    #expect(hidden.title == "Hers")
    for replica in [bob, cid, server] { try await replica.close() }
  }

  @Test func `dials nobody beyond loopback whose key it does not know`() async throws {
    let group = try Group()
    let keys = KeyDirectory("\(group.path)/own-keys")
    try keys.makeKeys()
    for keys in [nil, keys] {
      let error = await #expect(throws: LinkError.self) {
        _ = try await group.open {
          $0.keys = keys
          $0.connect = ["tcp://192.0.2.7:7400"]
        }
      }
      #expect(error?.code == .endpoint)
    }
  }

  @Test func `follows a daemon that it dials only while its allowlist names that, after a restart too`() async throws {
    let group = try Group()
    let (server, serverKeys, endpoint) = try await daemon(group)
    let keys = KeyDirectory("\(group.path)/second-keys")
    try serverKeys.authorize(AllowedKey(name: "second", key: try keys.makeKeys(), role: .relays))
    try keys.authorize(AllowedKey(name: "server", key: try serverKeys.keys().publicKey, role: .relays))
    func second() async throws -> Replica {
      try await group.open("second") { options in
        options.isDaemon = true
        options.joinsThisMachine = false
        options.keys = keys
        options.connect = [endpoint]
      }
    }
    let dialler = try await second()
    let written = try server.model(Book.self, named: "front-desk")
    written.title = "Dune"
    let kept = try dialler.model(Book.self, named: "front-desk")
    for await title in Observations({ kept.title }) where title == "Dune" { break }
    try keys.revoke("server")
    for await peers in AsyncStream(unfolding: { await dialler.status().peers.count }) where peers == 0 { break }
    written.title = "Emma"
    #expect(await !dialler.synchronize(timeout: .milliseconds(500)))
    #expect(kept.title == "Dune")
    try await dialler.close()
    let restarted = try await second()
    #expect(await !restarted.synchronize(timeout: .milliseconds(500)))
    #expect(try restarted.model(Book.self, named: "front-desk").title == "Dune")
    try keys.authorize(AllowedKey(name: "server", key: try serverKeys.keys().publicKey, role: .relays))
    let again = try restarted.model(Book.self, named: "front-desk")
    for await title in Observations({ again.title }) where title == "Emma" { break }
    try await restarted.close()
    try await server.close()
  }

  @Test func `takes nothing more of a client that may only read from now on`() async throws {
    let group = try Group()
    let (server, keys, endpoint) = try await daemon(group)
    let adasKeys = KeyDirectory("\(group.path)/ada-keys")
    let key = try adasKeys.makeKeys()
    try keys.authorize(AllowedKey(name: "ada", key: key))
    let (events, told) = AsyncStream.makeStream(of: EngineEvent.self)
    let ada = try await group.open { options in
      options.joinsThisMachine = false
      options.keys = adasKeys
      options.connect = [endpoint]
      options.onEvent = { told.yield($0) }
    }
    let written = try ada.model(Book.self, named: "front-desk")
    let kept = try server.model(Book.self, named: "front-desk")
    written.title = "Dune"
    try await ada.flush(until: .replicated(1))
    try keys.authorize(AllowedKey(name: "ada", key: key, role: .reads))
    for await event in events { if case .refused(_, let why) = event, why.contains("may read here") { break } }
    written.title = "Mine"
    kept.copies += 1
    for await copies in Observations({ written.copies.value }) where copies == 1 { break }
    #expect(kept.title == "Dune")
    try await ada.close()
    try await server.close()
  }

  @Test func `is not opened where its keys are missing`() async throws {
    let group = try Group()
    let path = "\(group.path)/none"
    await #expect(throws: KeyDirectoryError.self) {
      _ = try await group.open { $0.keys = KeyDirectory(path) }
    }
  }
}
