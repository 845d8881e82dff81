import Foundation
import Testing

@testable import StarlingConsole

@Suite struct `The gate of the console` {
  private let gate: Gate

  init() {
    var generator = SystemRandomNumberGenerator()
    gate = Gate(token: ConsoleToken(using: &generator), name: "test")
  }

  private func request(_ change: (inout RequestHead) -> Void) -> RequestHead {
    var request = RequestHead()
    request.host = "127.0.0.1:7480"
    change(&request)
    return request
  }

  private var cookie: String { "other=1; \(gate.cookieName)=\(gate.token.text)" }

  @Test func `lets in a request with the token in the link, in a cookie or in a header`() {
    #expect(gate.verdict(on: request { $0.token = gate.token.text }) == .admitted(isByLink: true))
    #expect(gate.verdict(on: request { $0.cookies = cookie }) == .admitted(isByLink: false))
    #expect(
      gate.verdict(on: request { $0.authorization = "Bearer \(gate.token.text)" }) == .admitted(isByLink: false))
  }

  @Test func `refuses a request with none, and one with another`() {
    #expect(gate.verdict(on: request { _ in }) == .refused(.noToken))
    #expect(gate.verdict(on: request { $0.token = "" }) == .refused(.wrongToken))
    #expect(gate.verdict(on: request { $0.token = gate.token.text + "x" }) == .refused(.wrongToken))
    #expect(gate.verdict(on: request { $0.token = String(gate.token.text.dropLast()) }) == .refused(.wrongToken))
    #expect(gate.verdict(on: request { $0.authorization = "Bearer x" }) == .refused(.wrongToken))
    // A wrong link is not mended by a cookie: who opens it is to learn that it is wrong.
    #expect(
      gate.verdict(
        on: request {
          $0.token = "x"
          $0.cookies = cookie
        }) == .refused(.wrongToken))
  }

  @Test func `takes the token of a link for the page alone`() {
    #expect(
      gate.verdict(
        on: request {
          $0.path = "/events"
          $0.token = gate.token.text
        }) == .refused(.noToken))
  }

  @Test(arguments: ["localhost", "LOCALHOST:7480", "127.0.0.1", "127.1.2.3:99"])
  func `answers at this machine's names`(_ host: String) {
    #expect(
      gate.verdict(
        on: request {
          $0.host = host
          $0.cookies = cookie
        }) == .admitted(isByLink: false))
  }

  @Test(arguments: [
    nil, "", "evil.example", "127.0.0.1.evil.example:7480", "localhost.evil.example", "10.0.0.1", "localhost:port",
    "127.0.0.1:7480:1", "[::1]:7480", "0.0.0.0:7480",
  ])
  func `refuses other names, to which an attacker may have bound this address`(_ host: String?) {
    #expect(
      gate.verdict(
        on: request {
          $0.host = host
          $0.token = gate.token.text
        }) == .refused(.wrongHost))
  }

  private func post(_ change: (inout RequestHead) -> Void) -> RequestHead {
    request {
      $0.isPost = true
      $0.path = "/api/do"
      $0.cookies = cookie
      $0.origin = "http://127.0.0.1:7480"
      $0.contentType = "application/json; charset=utf-8"
      change(&$0)
    }
  }

  @Test func `accepts writes from its own page`() {
    #expect(gate.verdict(on: post { _ in }) == .admitted(isByLink: false))
    #expect(gate.verdict(on: post { $0.fetchSite = "same-origin" }) == .admitted(isByLink: false))
  }

  @Test(arguments: [
    nil, "null", "http://evil.example", "https://127.0.0.1:7480", "http://127.0.0.1:7481", "http://localhost:7480",
  ])
  func `refuses writes from another site`(_ origin: String?) {
    #expect(gate.verdict(on: post { $0.origin = origin }) == .refused(.wrongOrigin))
  }

  @Test func `refuses writes that the browser says come from elsewhere, and forms`() {
    #expect(gate.verdict(on: post { $0.fetchSite = "cross-site" }) == .refused(.wrongOrigin))
    #expect(gate.verdict(on: post { $0.contentType = "text/plain" }) == .refused(.notJSON))
    #expect(gate.verdict(on: post { $0.contentType = nil }) == .refused(.notJSON))
  }

  @Test func `accepts writes of a program that shows the token, which has no origin`() {
    let program = post {
      $0.cookies = nil
      $0.origin = nil
      $0.authorization = "Bearer \(gate.token.text)"
    }
    #expect(gate.verdict(on: program) == .admitted(isByLink: false))
  }

  @Test func `hands out styles and scripts, which hold nothing`() {
    #expect(gate.verdict(on: request { $0.path = "/console.css" }) == .asset)
    #expect(
      gate.verdict(
        on: request {
          $0.path = "/console.js"
          $0.host = "evil.example"
        }) == .refused(.wrongHost))
  }

  @Test func `says for each refusal what to do`() {
    for refusal in Gate.Refusal.allCases {
      #expect(refusal.words.text.count > 20)
      #expect((400..<500).contains(refusal.status))
    }
  }
}

@Suite struct `The token of the console` {
  @Test func `has 43 characters, and no other has the same`() {
    var generator = SystemRandomNumberGenerator()
    let tokens = Set((0..<100).map { _ in ConsoleToken(using: &generator).text })
    #expect(tokens.count == 100)
    for token in tokens { #expect(ConsoleToken(token)?.text == token) }
  }

  @Test(arguments: ["", "a", String(repeating: "a", count: 42) + "!", String(repeating: "a", count: 44)])
  func `is nothing else`(_ text: String) {
    #expect(ConsoleToken(text) == nil)
  }

  @Test func `is kept for the next start, where only its owner reads it`() throws {
    let directory = NSTemporaryDirectory() + "console-\(UUID())"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let token = try ConsoleToken.kept(in: directory)
    #expect(try ConsoleToken.kept(in: directory) == token)
    let path = directory + "/console-token"
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    // A file that holds no token is replaced, not trusted.
    try Data("short".utf8).write(to: URL(fileURLWithPath: path))
    #expect(try ConsoleToken.kept(in: directory) != token)
    #expect(throws: ConsoleError.self) { try ConsoleToken.kept(in: directory + "/missing") }
  }

  @Test(arguments: ["127.0.0.1:7480", "127.9.0.1:0"]) func `addresses of loopback are known`(_ text: String) {
    #expect(ListenAddress(text)?.isLoopback == true)
  }

  @Test func `other addresses are told apart`() {
    #expect(ListenAddress("0.0.0.0:7480")?.isLoopback == false)
    for text in ["7480", "localhost:7480", "127.0.0.1", "[::1]:7480", "127.0.0.1:70000"] {
      #expect(ListenAddress(text) == nil, "\(text)")
    }
  }
}
