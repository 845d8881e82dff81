import Foundation
import Logging
import StarlingCore
import StarlingEngine
import StarlingReplica
import Testing

@testable import StarlingConsole

/// A replica in memory with its console at a free port.
struct Served {
  let replica: BareReplica
  let server: ConsoleServer
  let port: UInt16
  let token: String
  let gateName: String

  static func with(_ body: (Served) async throws -> Void) async throws {
    var options = BareReplica.Options()
    options.joinsThisMachine = false
    options.isDaemon = true
    options.logger.logLevel = .critical
    options.history = .everything
    let events = ConsoleEvents()
    events.watch(&options)
    let replica = try await BareReplica.open("test", options: options)
    var generator = SystemRandomNumberGenerator()
    let token = ConsoleToken(using: &generator)
    let server = try await ConsoleServer(of: replica, at: ListenAddress("127.0.0.1:0")!, token: token, events: events)
    let served = Served(
      replica: replica, server: server, port: UInt16(server.link.split(separator: ":")[2].prefix { $0 != "/" })!,
      token: token.text, gateName: await replica.status().store.description)
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await body(served))
    } catch {
      outcome = .failure(error)
    }
    await server.stop()
    try await replica.close()
    try outcome.get()
  }

  var cookie: String { "starling-console-\(gateName)=\(token)" }
  private var host: String { "127.0.0.1:\(port)" }

  /// The whole answer to a request.
  func get(_ path: String, _ headers: [String: String]) async throws -> String {
    let client = try RawHTTP(port: port)
    let all = ["Host": host, "Connection": "close"].merging(headers) { $1 }
    client.send("GET \(path) HTTP/1.1\r\n" + all.map { "\($0): \($1)\r\n" }.joined() + "\r\n")
    return await client.read()
  }

  func post(_ path: String, _ body: String, _ headers: [String: String] = [:]) async throws -> String {
    let client = try RawHTTP(port: port)
    let all = [
      "Host": host, "Connection": "close", "Cookie": cookie, "Origin": "http://\(host)",
      "Content-Type": "application/json", "Content-Length": "\(body.utf8.count)",
    ].merging(headers) { $1 }
    client.send("POST \(path) HTTP/1.1\r\n" + all.map { "\($0): \($1)\r\n" }.joined() + "\r\n" + body)
    return await client.read()
  }

  /// Opens a page, and says what it looks at.
  func openPage(_ windows: String) async throws -> RawHTTP {
    let client = try RawHTTP(port: port)
    client.send("GET /events HTTP/1.1\r\nHost: \(host)\r\nCookie: \(cookie)\r\n\r\n")
    let greeting = await client.read { $0.contains("\"page\":") && $0.contains("\n\n") }
    let page = greeting.split(separator: "\"page\":")[1].prefix { $0.isNumber }
    let answer = try await post("/api/view", #"{"page": \#(page), "document": "test", "windows": [\#(windows)]}"#)
    #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
    return client
  }
}

private let root = #"{"object": "00000000000000008000000000000000", "containerKind": "map"}"#
private let place = #""document": "test", "object": "00000000000000008000000000000000", "containerKind": "map""#

@Suite(.timeLimit(.minutes(5))) struct `The console over HTTP` {
  @Test func `is opened by its link, which becomes a cookie`() async throws {
    try await Served.with { served in
      let answer = try await served.get("/?token=\(served.token)", [:])
      #expect(answer.hasPrefix("HTTP/1.1 200"))
      #expect(answer.contains("<!doctype html>"))
      #expect(answer.contains("Set-Cookie: \(served.cookie); Path=/; HttpOnly; SameSite=Strict"))
      #expect(answer.contains("Content-Security-Policy: default-src 'none'; script-src 'self'"))
      #expect(answer.contains("Referrer-Policy: no-referrer"))
      let again = try await served.get("/", ["Cookie": served.cookie])
      #expect(again.hasPrefix("HTTP/1.1 200") && !again.contains("Set-Cookie"))
      for asset in Gate.assets { #expect(try await served.get(asset, [:]).hasPrefix("HTTP/1.1 200")) }
    }
  }

  @Test func `refuses a wrong token, another host and another site, each with its status`() async throws {
    try await Served.with { served in
      let wrong = try await served.get("/?token=\(String(repeating: "x", count: 43))", [:])
      #expect(wrong.hasPrefix("HTTP/1.1 401") && wrong.contains("Open the link that starlingd printed"))
      #expect(try await served.get("/events", [:]).hasPrefix("HTTP/1.1 401"))
      #expect(
        try await served.get("/", ["Host": "evil.example", "Cookie": served.cookie]).hasPrefix("HTTP/1.1 403"))
      let command = #"{"do": "set", \#(place), "key": "n:title", "string": "Dune"}"#
      #expect(try await served.post("/api/do", command, ["Origin": "http://evil.example"]).hasPrefix("HTTP/1.1 403"))
      #expect(try await served.post("/api/do", command, ["Content-Type": "text/plain"]).hasPrefix("HTTP/1.1 415"))
      #expect(try await served.post("/api/do", command, ["Cookie": ""]).hasPrefix("HTTP/1.1 401"))
      #expect(try served.replica.json.value() == [:], "Nothing of it was written.")
      #expect(try await served.get("/etc/passwd", ["Cookie": served.cookie]).hasPrefix("HTTP/1.1 404"))
      #expect(try await served.post("/api/do", "{").contains("error"))
      #expect(
        try await served.post("/api/do", "", ["Content-Length": "99999999"]).hasPrefix("HTTP/1.1 413"))
    }
  }

  @Test func `writes under the daemon's own id, and tells a page that looks there`() async throws {
    try await Served.with { served in
      let page = try await served.openPage(root)
      let answer = try await served.post("/api/do", #"{"do": "set", \#(place), "key": "n:title", "string": "Dune"}"#)
      #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains(#""changed":true"#), "\(answer)")
      #expect(try served.replica.json.value() == ["title": "Dune"])
      let told = await page.read { $0.contains(#""text":"Dune""#) }
      #expect(told.contains(#""writer":"\#(served.replica.writer)""#))
      try served.replica.json.set("Emma", at: DocumentPath("title")!)
      #expect(await page.read { $0.contains(#""text":"Emma""#) }.contains(#""text":"Emma""#))
    }
  }

  @Test func `says in words what cannot be written, and writes nothing`() async throws {
    try await Served.with { served in
      try served.replica.json.set(7, at: DocumentPath("visits")!, as: .counter)
      let answer = try await served.post("/api/do", #"{"do": "set", \#(place), "key": "n:visits", "string": "many"}"#)
      #expect(answer.hasPrefix("HTTP/1.1 409") && answer.contains("counter"))
      let other = try await served.post(
        "/api/do", #"{"do": "set", "document": "other", \#(place.dropFirst(20)), "key": "n:a", "json": "1"}"#)
      #expect(other.contains("no document"), "\(other)")
      #expect(await served.replica.status().documents.map(\.name) == ["test"], "No page opens a document by its name.")
    }
  }

  @Test func `shows a conflict with its writers, and settles it by one of them`() async throws {
    try await Served.with { served in
      let replica = served.replica
      let fork = try await replica.engine.fork(replica.document.id)
      try JSONDocument(fork.handle).set("Grace", at: DocumentPath("owner")!)
      try replica.json.set("Ada", at: DocumentPath("owner")!)
      try await replica.engine.merge(fork)
      let page = try await served.openPage(root)
      let told = await page.read { $0.contains(#""sides":["#) }
      #expect(told.contains(#""text":"Ada""#) && told.contains(#""text":"Grace""#))
      let sides = try #require(try replica.json.conflicts().first?.sides)
      let loser = try #require(sides.last)
      let command = #"{"do": "settle", \#(place), "key": "n:owner", "by": "\#(loser.dot)"}"#
      #expect(try await served.post("/api/do", command).hasPrefix("HTTP/1.1 200"))
      #expect(try replica.json.conflicts().isEmpty)
      #expect(try replica.json.value() == ["owner": loser.value])
      #expect(await page.read { $0.contains(#""count":0,"document":"test","list":[]"#) }.contains(#""list":[]"#))
      #expect(try await served.post("/api/do", command).contains("has changed"), "The choice was made before.")
    }
  }

  @Test func `reads the history, compares its steps and restores one`() async throws {
    try await Served.with { served in
      let json = served.replica.json
      for title in ["Dune", "Emma", "Ulysses"] {
        try json.set(.string(title), at: DocumentPath("title")!, message: title)
      }
      let history = try await served.get("/api/history?document=test", ["Cookie": served.cookie])
      #expect(history.contains(#""message":"Ulysses""#) && history.contains(#""places":["title"]"#), "\(history)")
      let session = history.split(separator: "\"session\":")[1].prefix { $0.isNumber }
      let step = try await served.get(
        "/api/difference?session=\(session)&step=1&to=before", ["Cookie": served.cookie])
      #expect(step.contains(#""from":"Dune","path":"title","to":"Emma","what":"changed""#), "\(step)")
      let first = try await served.get("/api/difference?session=\(session)&step=2&to=before", ["Cookie": served.cookie])
      #expect(first.contains(#""to":"Dune","what":"added""#), "\(first)")
      let since = try await served.get(
        "/api/difference?session=\(session)&step=2&to=present", ["Cookie": served.cookie])
      #expect(since.contains(#""from":"Dune","path":"title","to":"Ulysses""#), "\(since)")
      let past = try await served.post(
        "/api/past",
        #"{"session": \#(session), "step": 1, "object": "00000000000000008000000000000000", "containerKind": "map"}"#)
      #expect(past.contains(#""text":"Emma""#), "\(past)")
      let restored = try await served.post("/api/do", #"{"do": "restore", "session": \#(session), "step": 1}"#)
      #expect(restored.hasPrefix("HTTP/1.1 200"), "\(restored)")
      #expect(try json.value() == ["title": "Emma"])
      #expect(try await served.get("/api/history?session=999", ["Cookie": served.cookie]).contains("open it again"))
    }
  }

  @Test func `hands a page that was slow what differs by then, once`() async throws {
    try await Served.with { served in
      let console = Console(of: served.replica, events: ConsoleEvents())
      let (page, _) = try #require(await console.open())
      _ = await console.update(of: page)
      let view = try PageView(JSONValue(parsing: #"{"document": "test", "windows": [\#(root)]}"#))
      try await console.look(at: view, from: page)
      _ = await console.update(of: page)
      for number in 0..<500 { try served.replica.json.set(.integer(Int64(number)), at: DocumentPath("a")!) }
      var told = ""
      while let update = await console.update(of: page) { told += update }
      #expect(told.contains(#""text":"499""#))
      #expect(!told.contains(#""text":"498""#))
      await console.close()
    }
  }

  @Test func `has so many pages, and is at loopback alone`() async throws {
    try await Served.with { served in
      let console = Console(of: served.replica, events: ConsoleEvents())
      for _ in 0..<Console.pageCountMax { #expect(await console.open() != nil) }
      #expect(await console.open() == nil)
      await console.leave(1)
      #expect(await console.open() != nil)
      await console.close()
      var generator = SystemRandomNumberGenerator()
      let token = ConsoleToken(using: &generator)
      await #expect(throws: ConsoleError.self) {
        _ = try await ConsoleServer(
          of: served.replica, at: ListenAddress("0.0.0.0:0")!, token: token, events: ConsoleEvents())
      }
    }
  }
}
