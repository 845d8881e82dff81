import Foundation
import Logging
import StarlingCore
import StarlingEngine

/// One line of an audit log: what happened, to which peer, where, and why.
struct AuditEntry: ThrottledLine {
  /// What lines are told apart and counted by: the flood of one key hides nothing that another does.
  enum Cause: Hashable {
    /// With the key, of the peer that was let in.
    case access(AccessEvent.Kind, key: String?)
    /// The log itself begins, and ends.
    case begun
    case ended
    /// The allowlist was read, or parts of it could not be.
    case allowlist
    case allowlistUnreadable
    /// The owner of a replica id could not be stored.
    case writerUnkept
    /// Lines that found no space.
    case lost

    var name: String {
      switch self {
      case .access(let kind, _): kind.rawValue
      case .begun: "begun"
      case .ended: "ended"
      case .allowlist: "allowlist"
      case .allowlistUnreadable: "allowlistUnreadable"
      case .writerUnkept: "writerUnkept"
      case .lost: "lost"
      }
    }
  }

  var cause: Cause
  var user: String?
  var address: String?
  var name: String?
  var role: String?
  var document: String?
  var replica: String?
  var explanation: String
  /// For people who read nothing else of it.
  var sentence: String
  /// How many more there were that got no line of their own.
  var moreCount = 0

  init(_ cause: Cause, _ explanation: String) {
    self.cause = cause
    self.explanation = explanation
    sentence = "\(cause.name): \(explanation)"
  }

  init(_ event: AccessEvent) {
    cause = .access(event.kind, key: event.name == nil || event.kind == .notAdmitted ? nil : event.user)
    user = event.user
    address = event.address
    name = event.name
    role = event.role?.rawValue
    document = event.document?.name
    replica = event.replica.map { "\($0)" }
    explanation = event.explanation
    sentence = "\(event)"
  }

  /// Says of what came so often that most of it was left out how much that was.
  static func more(_ count: Int, of cause: Cause) -> AuditEntry {
    var entry = AuditEntry(cause, "and \(grouped(count)) more like it.")
    entry.moreCount = count
    if case .access(_, let key) = cause { entry.user = key }
    return entry
  }

  static func grouped(_ count: Int) -> String {
    let digits = "\(count)"
    return digits.enumerated().map { place, digit in
      place > 0 && (digits.count - place).isMultiple(of: 3) ? ",\(digit)" : "\(digit)"
    }.joined()
  }

  var level: Logger.Level {
    switch cause {
    case .access(let kind, _): kind.isGrant ? .info : .warning
    case .begun, .ended: .debug
    case .allowlist: .notice
    case .allowlistUnreadable, .writerUnkept, .lost: .error
    }
  }

  /// For programs: one line of JSON. What came from elsewhere stands in quotation marks that it cannot leave, and does
  /// nothing to the terminal of a reader of the file.
  func line(at moment: Date) -> String {
    var members: [JSONValue.Member] = [
      JSONValue.Member("at", .string(moment.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))),
      JSONValue.Member("event", .string(cause.name)), JSONValue.Member("explanation", .string(explanation)),
    ]
    let texts = [
      ("key", user), ("address", address), ("name", name), ("role", role), ("document", document), ("replica", replica),
    ]
    for (name, text) in texts { if let text { members.append(JSONValue.Member(name, .string(text))) } }
    if moreCount > 0 { members.append(JSONValue.Member("more", .integer(Int64(moreCount)))) }
    return "\(JSONValue.object(sorting: members))".printable() + "\n"
  }
}
