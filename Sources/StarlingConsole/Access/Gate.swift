import Foundation

/// What a request shows of its sender.
struct RequestHead: Sendable {
  var isPost = false
  var path = "/"
  /// From the link.
  var token: String?
  var host: String?
  var origin: String?
  /// What the browser says of where the request comes from (`Sec-Fetch-Site`).
  var fetchSite: String?
  var cookies: String?
  var authorization: String?
  var contentType: String?
}

/// Decides which requests are answered.
///
/// ```
///   Host names this machine ── no ──► 403: another name leads here (DNS rebinding)
///        │ yes
///   a style or script ─────────────► answered: it holds nothing secret
///        │
///   token: link, header or cookie ── no ──► 401
///        │ yes
///   a write comes from the page ─── no ──► 403, or 415: another site's form
///        │ yes
///   answered
/// ```
struct Gate: Sendable {
  let token: ConsoleToken
  let cookieName: String

  /// - Parameter name: tells daemons of one machine apart, whose ports share their cookies.
  init(token: ConsoleToken, name: String) {
    self.token = token
    cookieName = "starling-console-\(name)"
  }

  enum Verdict: Equatable {
    /// - Parameter isByLink: the token came in the link, and a cookie is to hold it from here on.
    case admitted(isByLink: Bool)
    case asset
    case refused(Refusal)
  }

  enum Refusal: Int, CaseIterable {
    case wrongHost, noToken, wrongToken, wrongOrigin, notJSON

    var status: Int {
      switch self {
      case .noToken, .wrongToken: 401
      case .wrongHost, .wrongOrigin: 403
      case .notJSON: 415
      }
    }

    /// What is wrong, and what to do.
    var words: (title: String, text: String) {
      switch self {
      case .wrongHost:
        (
          "Not this address",
          "The console answers only where this machine is called localhost or 127.0.0.1. Open the link that starlingd printed."
        )
      case .noToken:
        (
          "This page needs its link",
          "Open the link that starlingd printed when it started: it holds a token that lets this browser in."
        )
      case .wrongToken:
        (
          "This link is not valid",
          "Its token is not the one of this daemon. Open the link that starlingd printed when it last started."
        )
      case .wrongOrigin: ("Refused", "A write is accepted from the console's own page only, not from another site.")
      case .notJSON: ("Refused", "A write is a JSON object (Content-Type: application/json).")
      }
    }
  }

  static let assets: Set = ["/console.css", "/console.js", "/icon.svg"]

  func verdict(on request: RequestHead) -> Verdict {
    guard let host = request.host, Self.namesThisMachine(host) else { return .refused(.wrongHost) }
    if Self.assets.contains(request.path), !request.isPost { return .asset }
    let given = bearer(in: request)
    let isByLink = !request.isPost && request.path == "/" && request.token != nil
    guard let shown = isByLink ? request.token : given ?? cookie(in: request) else { return .refused(.noToken) }
    guard token.matches(shown) else { return .refused(.wrongToken) }
    if request.isPost {
      // A browser names the page that posts. A program shows the token itself, which no other site can.
      guard request.origin == "http://" + host || request.origin == nil && given != nil else {
        return .refused(.wrongOrigin)
      }
      if let site = request.fetchSite, site != "same-origin" { return .refused(.wrongOrigin) }
      let type = request.contentType?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased()
      guard type == "application/json" else { return .refused(.notJSON) }
    }
    return .admitted(isByLink: isByLink)
  }

  /// A forwarded port may have another number; a name that leads here by trickery has another name.
  private static func namesThisMachine(_ host: String) -> Bool {
    let parts = host.lowercased().split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2, UInt16(parts[1]) == nil { return false }
    return parts[0] == "localhost" || ListenAddress("\(parts[0]):0")?.isLoopback == true
  }

  private func bearer(in request: RequestHead) -> String? {
    guard let header = request.authorization, header.lowercased().hasPrefix("bearer ") else { return nil }
    return header.dropFirst(7).trimmingCharacters(in: .whitespaces)
  }

  private func cookie(in request: RequestHead) -> String? {
    for part in request.cookies?.split(separator: ";") ?? [] {
      let pair = part.split(separator: "=", maxSplits: 1)
      if pair.count == 2, pair[0].trimmingCharacters(in: .whitespaces) == cookieName {
        return pair[1].trimmingCharacters(in: .whitespaces)
      }
    }
    return nil
  }

  /// Sent with every answer: nothing but the daemon's own files is loaded, framed or remembered.
  static let headers = [
    "Content-Security-Policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
  ]

  /// Sent once, when the link is opened.
  var cookie: String { "\(cookieName)=\(token.text); Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000" }
}
