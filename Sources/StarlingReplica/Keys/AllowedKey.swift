public import Foundation
public import StarlingEngine
public import StarlingZeroMQ

/// One key of an allowlist: whose it is, what it may do, and until when.
public struct AllowedKey: Sendable, Hashable {
  /// 1 to 64 letters, digits, dots, underscores or hyphens: the name of its file.
  public var name: String
  /// The public key that the peer proves to have.
  public var key: PublicKey
  /// What the peer may do in the documents that it may see.
  public var role: Trust.Role
  /// The documents that the peer may see; a name that matches one pattern is enough.
  public var documents: [DocumentPattern]
  /// Nil for a key that does not expire.
  public var expires: Date?
  /// Why it is let in no more, for people; nil for a key that is let in.
  public var suspended: String?

  /// Makes an entry of an allowlist. Without more than a name and a key it may read and write every document, for
  /// ever.
  public init(
    name: String, key: PublicKey, role: Trust.Role = .writes, documents: [DocumentPattern] = [.everything],
    expires: Date? = nil, suspended: String? = nil
  ) {
    self.suspended = suspended
    self.name = name
    self.key = key
    self.role = role
    self.documents = documents
    self.expires = expires
  }

  var trust: Trust {
    let expires = expires.map { UInt64(max(0, $0.timeIntervalSince1970 * 1000)) }
    return Trust(name: name, role: role, documents: documents, expires: expires)
  }

  func isLetIn(at moment: Date) -> Bool { suspended == nil && !hasExpired(at: moment) }

  func hasExpired(at moment: Date) -> Bool { expires.map { $0 <= moment } ?? false }
}

// As a file: a line for each field, its name and its value. Empty lines, and those that begin with #, are for people.
//
//     key: Zsf3jwMk5Qe6Ak-NHGiQKzZgpYnyDyGR4BNBqyYPjVk
//     role: writes
//     documents: library, notes-*
//     expires: 2027-01-01T00:00:00Z
//     suspended: it gave two contents to operation 1f2e3d4c5b6a7988:17 of 'library'
extension AllowedKey {
  var text: String {
    var lines = ["key: \(key)", "role: \(role.rawValue)"]
    lines.append("documents: \(documents.map(\.description).joined(separator: ", "))")
    if let expires { lines.append("expires: \(expires.formatted(.iso8601))") }
    if let suspended { lines.append("suspended: \(suspended)") }
    return lines.joined(separator: "\n") + "\n"
  }

  /// - Throws: `KeyDirectoryError(.unreadable)`, naming the file and the line.
  init(name: String, text: String, file: String) throws(KeyDirectoryError) {
    func unreadable(_ line: Int?, _ what: String) -> KeyDirectoryError {
      KeyDirectoryError(.unreadable, "\(file)\(line.map { ":\($0)" } ?? ""): \(what)")
    }
    var fields: [String: (line: Int, value: String)] = [:]
    for (place, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.isEmpty || line.hasPrefix("#") { continue }
      guard let colon = line.firstIndex(of: ":") else {
        throw unreadable(place + 1, "a line is a field, a colon and its value, as 'role: reads'.")
      }
      let field = String(line[..<colon])
      guard ["key", "role", "documents", "expires", "suspended"].contains(field), fields[field] == nil else {
        throw unreadable(
          place + 1, "'\(field)' is no field, or is here twice; there are key, role, documents, expires, suspended."
        )
      }
      fields[field] = (place + 1, line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
    }
    guard let key = fields["key"] else { throw unreadable(nil, "it has no 'key:'.") }
    guard let publicKey = PublicKey(key.value) else {
      throw unreadable(
        key.line, "'\(key.value)' is no public key, which has 43 letters, digits, hyphens and underscores.")
    }
    // What a key may do is never guessed.
    guard let role = fields["role"], let parsedRole = Trust.Role(rawValue: role.value) else {
      throw unreadable(fields["role"]?.line, "it needs 'role: reads', 'role: writes' or 'role: relays'.")
    }
    guard let documents = fields["documents"] else { throw unreadable(nil, "it has no 'documents:'; all are '*'.") }
    var patterns: [DocumentPattern] = []
    for part in documents.value.split(separator: ",", omittingEmptySubsequences: false) {
      let part = part.trimmingCharacters(in: .whitespaces)
      guard let pattern = DocumentPattern(part) else {
        throw unreadable(
          documents.line, "'\(part)' names no documents; write a name, a beginning and * ('notes-*'), or *.")
      }
      patterns.append(pattern)
    }
    var expires: Date?
    if let field = fields["expires"] {
      expires = Self.date(field.value)
      if expires == nil {
        throw unreadable(field.line, "'\(field.value)' is no time; write it as 2027-01-01 or 2027-01-01T12:00:00Z.")
      }
    }
    self.init(
      name: name, key: publicKey, role: parsedRole, documents: patterns, expires: expires,
      suspended: fields["suspended"]?.value)
  }

  /// A day, which counts from its beginning, or a moment; both in UTC.
  public static func date(_ text: String) -> Date? {
    (try? Date(text, strategy: .iso8601)) ?? (try? Date(text + "T00:00:00Z", strategy: .iso8601))
  }
}
