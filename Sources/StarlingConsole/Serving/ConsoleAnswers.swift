import struct FlyingFox.HTTPBodySequence
import struct FlyingFox.HTTPHeader
import struct FlyingFox.HTTPHeaders
import struct FlyingFox.HTTPRequest
import struct FlyingFox.HTTPResponse
import struct FlyingFox.HTTPStatusCode
import FlyingSocks
import Foundation
import StarlingCore
import StarlingReplica

/// Answers what the gate lets in.
struct ConsoleAnswers: Sendable {
  let gate: Gate
  let console: Console

  private static let bodyByteCountMax = 4 << 20

  func answer(_ request: HTTPRequest) async -> HTTPResponse {
    let head = RequestHead(request)
    switch gate.verdict(on: head) {
    case .refused(let refusal): return refused(refusal, wantsPage: !head.isPost && head.path == "/")
    case .asset: return asset(head.path)
    case .admitted(let isByLink):
      do {
        return head.isPost
          ? try await post(request) : try await get(head.path, request.query, isByLink: isByLink)
      } catch {
        return json(["error": .string("\(error)".printable(byteCountMax: 2000, keepsLines: true))], .conflict)
      }
    }
  }

  // MARK: Reading

  private func get(_ path: String, _ query: [HTTPRequest.QueryItem], isByLink: Bool) async throws -> HTTPResponse {
    func text(_ name: String) -> String? { query.first { $0.name == name }?.value }
    func number(_ name: String) throws -> Int {
      guard let number = text(name).flatMap({ Int($0) }) else { throw CommandError("'\(name)' is missing.") }
      return number
    }
    switch path {
    case "/": return page(.ok, ConsolePage.html, cookie: isByLink ? gate.cookie : nil)
    case "/events": return await events()
    case "/api/history":
      if text("session") != nil { return json(try await console.moreHistory(number("session"))) }
      guard let document = text("document").flatMap({ DocumentID($0) }) else {
        throw CommandError("A history names its document.")
      }
      return json(try await console.openHistory(of: document))
    case "/api/difference":
      return json(
        try await console.difference(number("session"), at: number("step"), isToPresent: text("to") == "present"))
    default: return json(["error": "Nothing is at this address."], .notFound)
    }
  }

  private func events() async -> HTTPResponse {
    guard let (id, signals) = await console.open() else {
      return json(["error": "Too many pages are open; close some."], .serviceUnavailable)
    }
    var response = HTTPResponse(
      statusCode: .ok, headers: headers(type: "text/event-stream"),
      body: HTTPBodySequence(from: PageStream(of: console, page: id, signals)))
    response.headers[.connection] = "close"
    return response
  }

  // MARK: Writing

  private func post(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard let count = request.bodySequence.count, count <= Self.bodyByteCountMax else {
      return json(
        ["error": "More than \(Self.bodyByteCountMax >> 20) MB are not accepted at a time."], .payloadTooLarge)
    }
    let data = try await request.bodyData
    let body: JSONValue
    do throws(JSONError) {
      body = try JSONValue(parsing: data)
    } catch {
      return json(["error": .string("This is no JSON: \(error)")], .badRequest)
    }
    switch request.path {
    case "/api/view":
      guard let page = body["page"]?.number else { throw CommandError("A view names its page.") }
      try await console.look(at: PageView(body), from: page)
      return json(["done": true])
    case "/api/do": return json(try await console.perform(ConsoleCommand(body)))
    case "/api/past":
      guard let session = body["session"]?.number, let step = body["step"]?.number else {
        throw CommandError("A past is named by a session and a step.")
      }
      return json(try await console.pastContents(session, at: step, TreeWindow(body)))
    case "/api/dismiss":
      await console.dismissIncidents()
      return json(["done": true])
    default: return json(["error": "Nothing is at this address."], .notFound)
    }
  }

  // MARK: Answers

  private func headers(type: String) -> HTTPHeaders {
    var headers: HTTPHeaders = [:]
    for (name, value) in Gate.headers { headers[HTTPHeader(name)] = value }
    headers[.contentType] = type
    return headers
  }

  private func json(_ value: JSONValue, _ status: HTTPStatusCode = .ok) -> HTTPResponse {
    HTTPResponse(
      statusCode: status, headers: headers(type: "application/json"), body: Data(value.description.utf8))
  }

  private func page(_ status: HTTPStatusCode, _ text: String, cookie: String? = nil) -> HTTPResponse {
    var headers = headers(type: "text/html; charset=utf-8")
    if let cookie { headers[HTTPHeader("Set-Cookie")] = cookie }
    return HTTPResponse(statusCode: status, headers: headers, body: Data(text.utf8))
  }

  private func asset(_ path: String) -> HTTPResponse {
    let (type, text) =
      switch path {
      case "/console.css": ("text/css; charset=utf-8", ConsolePage.style)
      case "/icon.svg": ("image/svg+xml", ConsolePage.icon)
      default: ("text/javascript; charset=utf-8", ConsolePage.script)
      }
    return HTTPResponse(statusCode: .ok, headers: headers(type: type), body: Data(text.utf8))
  }

  private func refused(_ refusal: Gate.Refusal, wantsPage: Bool) -> HTTPResponse {
    let status = HTTPStatusCode(refusal.status, phrase: refusal.words.title)
    if wantsPage { return page(status, ConsolePage.refusal(refusal.words.title, refusal.words.text)) }
    return json(["error": .string(refusal.words.text)], status)
  }
}

extension RequestHead {
  init(_ request: HTTPRequest) {
    // A request of another method than GET and POST is asked what a write is.
    isPost = request.method != .GET
    path = request.path
    token = request.query.first { $0.name == "token" }?.value
    func header(_ name: String) -> String? { request.headers[HTTPHeader(name)] }
    host = header("Host")
    origin = header("Origin")
    fetchSite = header("Sec-Fetch-Site")
    cookies = header("Cookie")
    authorization = header("Authorization")
    contentType = header("Content-Type")
  }
}
