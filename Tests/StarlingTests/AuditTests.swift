import Foundation
import Logging
import Testing

@testable import Starling
@testable import StarlingReplica

@Suite struct `What is audited` {
  private func knock(_ name: String) -> AuditEntry {
    AuditEntry(AccessEvent(.notAdmitted, user: name, address: "192.0.2.7", explanation: "its key is not let in."))
  }

  @Test func `is written as it comes while it is little`() {
    var throttle = AuditThrottle()
    for number in 0..<AuditThrottle.lineCountMax {
      #expect(throttle.admit(knock("key \(number)"), now: .seconds(1)) == [knock("key \(number)")])
    }
    #expect(throttle.end().isEmpty)
  }

  @Test func `is counted beyond that, until a minute is over`() {
    var throttle = AuditThrottle()
    let written = (0..<5000).flatMap { throttle.admit(knock("key \($0)"), now: .milliseconds($0)) }
    #expect(written.count == AuditThrottle.lineCountMax)
    #expect(throttle.pass(now: .seconds(59)).isEmpty)
    let more = throttle.pass(now: .seconds(60))
    #expect(more.map(\.explanation) == ["and 4,980 more like it."])
    #expect(more.map(\.moreCount) == [4980])
    #expect(throttle.pass(now: .seconds(120)).isEmpty)
    #expect(throttle.admit(knock("key 1"), now: .seconds(121)) == [knock("key 1")])
  }

  @Test func `is written once where it is the same again`() {
    var throttle = AuditThrottle()
    let written = (0..<30).flatMap { throttle.admit(knock("ada"), now: .seconds($0 * 2)) }
    #expect(written == [knock("ada")])
    #expect(throttle.admit(knock("ada"), now: .seconds(60)).map(\.moreCount) == [29, 0])
    #expect(throttle.admit(knock("bob"), now: .seconds(61)) == [knock("bob")])
  }

  @Test func `of one cause hides nothing of another`() {
    var throttle = AuditThrottle()
    for number in 0..<1000 { _ = throttle.admit(knock("key \(number)"), now: .zero) }
    let written = AuditEntry(AccessEvent(.writeRefused, user: "bob", explanation: "it may read, not write."))
    #expect(throttle.admit(written, now: .zero) == [written])
    #expect(throttle.end().map(\.moreCount) == [980])
    #expect(throttle.end().isEmpty)
  }

  @Test func `is a line of JSON that what came from elsewhere cannot leave`() throws {
    let event = AccessEvent(
      .notAdmitted, user: "k\"}\n{\"event\":\"admitted\"", address: "192.0.2.7\u{0}\r\n", explanation: "no\u{2028}.")
    let line = AuditEntry(event).line(at: Date(timeIntervalSince1970: 0))
    #expect(line.last == "\n" && line.filter(\.isNewline).count == 1)
    let fields = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
    #expect(fields["key"] == event.user && fields["address"] == event.address)
    #expect(fields["event"] == "notAdmitted")
    #expect(fields["at"]?.hasPrefix("1970-01-01T00:00:00") == true)
  }

  @Test func `is numbered for people in groups of three`() {
    let counts = [1, 999, 1000, 4211, 1_234_567]
    #expect(
      counts.map { AuditEntry.more($0, of: .lost).explanation.split(separator: " ")[1] }
        == ["1", "999", "1,000", "4,211", "1,234,567"])
  }
}

@Suite(.timeLimit(.minutes(10))) struct `The file of an audit log` {
  private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

  @Test func `is its owner's alone, and is appended to`() throws {
    let group = try Group()
    let path = "\(group.path)/audit"
    for line in ["one\n", "two\n"] {
      var file = try AuditFile(path)
      try file.append(line)
    }
    #expect(try text(path) == "one\ntwo\n")
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
  }

  @Test func `is made again where it was moved away`() throws {
    let group = try Group()
    let path = "\(group.path)/audit"
    var file = try AuditFile(path)
    try file.append("one\n")
    try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
    try file.append("two\n")
    #expect(try text(path + ".1") == "one\n")
    #expect(try text(path) == "two\n")
  }

  @Test func `is refused where others may read it, or where it is none`() throws {
    let group = try Group()
    let path = "\(group.path)/audit"
    _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o644])
    #expect(throws: AuditError(.open, "The audit log '\(path)' may be read by others. Close it: chmod 600 '\(path)'")) {
      _ = try AuditFile(path)
    }
    try FileManager.default.createSymbolicLink(atPath: path + ".link", withDestinationPath: "/dev/null")
    for name in [path + ".link", group.path, "\(group.path)/none/audit"] {
      let error = #expect(throws: AuditError.self) { _ = try AuditFile(name) }
      #expect(error?.code == .unwritable, "\(name)")
    }
  }

  @Test func `says who was let in, who was not, and what they tried`() async throws {
    let group = try Group()
    let (keys, path) = (KeyDirectory("\(group.path)/server-keys"), "\(group.path)/audit")
    try keys.makeKeys()
    func key(_ name: String, _ role: Trust.Role?, expires: Date? = nil) throws -> String {
      let key = try KeyDirectory("\(group.path)/\(name)-keys").makeKeys()
      if let role { try keys.authorize(AllowedKey(name: name, key: key, role: role, expires: expires)) }
      return "\(key)"
    }
    let (adasKey, bobsKey, evesKey) = (try key("ada", .writes), try key("bob", .reads), try key("eve", nil))
    let oldKey = try key("old", .writes, expires: Date(timeIntervalSince1970: 0))
    let server = try await group.open("server") { options in
      options.isDaemon = true
      options.joinsThisMachine = false
      options.keys = keys
      options.audit = path
      options.listen = ["tcp://127.0.0.1:0"]
    }
    let endpoint = await server.status().endpoints[0]
    func client(_ name: String) async throws -> Replica {
      try await group.open { options in
        options.joinsThisMachine = false
        options.keys = KeyDirectory("\(group.path)/\(name)-keys")
        options.connect = [endpoint]
      }
    }
    let (ada, bob) = (try await client("ada"), try await client("bob"))
    let (eve, old) = (try await client("eve"), try await client("old"))
    try ada.model(Book.self, named: "front-desk").title = "Dune"
    try await ada.flush(until: .replicated(1))
    // Leased, or its own: the lease may come after the write.
    let writers = ada.version.entries.map { "\($0.replica)" }
    let read = try bob.model(Book.self, named: "front-desk")
    for await title in Observations({ read.title }) where title == "Dune" { break }
    read.title = "Mine"
    let refusals = AsyncStream { await server.measure().link?.keysRefused ?? 0 }
    for await count in refusals where count > 3 { break }
    try keys.revoke("ada")
    for await peers in AsyncStream(unfolding: { await ada.status().peers.count }) where peers == 0 { break }
    let written = await server.measure().audit.written
    for replica in [ada, bob, eve, old, server] { try await replica.close() }
    let lines = try text(path).split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    func said(_ event: String, key: String? = nil) -> [[String: Any]] {
      lines.filter { $0["event"] as? String == event && (key == nil || $0["key"] as? String == key) }
    }
    #expect(written > 0 && lines.count >= written)
    #expect(lines.first?["event"] as? String == "begun" && said("ended").count == 1)
    let admitted = try #require(said("admitted", key: adasKey).first)
    #expect(admitted["name"] as? String == "ada" && admitted["role"] as? String == "writes")
    #expect(admitted["address"] as? String == "127.0.0.1")
    #expect(said("writerBound", key: adasKey).compactMap { $0["replica"] as? String } == writers)
    #expect(said("revoked", key: adasKey).count == 1)
    #expect(said("admitted", key: bobsKey).first?["role"] as? String == "reads")
    let refused = try #require(said("notAdmitted", key: evesKey).first)
    #expect(refused["address"] as? String == "127.0.0.1" && refused["name"] == nil)
    let late = try #require(said("notAdmitted", key: oldKey).first)
    #expect(late["name"] as? String == "old")
    #expect((late["explanation"] as? String)?.contains("time has passed") == true)
    #expect(said("allowlist").last?["explanation"] as? String == "Let in are: bob reads, old writes.")
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
  }
}
