import Foundation
import StarlingCore
import StarlingWire
public import StarlingZeroMQ

/// The keys of one replica, and which peers they let in: a directory of small files that a person can read and change
/// while the replica runs.
///
/// ```
///   keys/             0700
///     secret          0600   this replica's secret key
///     public                 its public key, to be given to those who dial it
///     allowed/
///       ada                  one key: what it may do, until when
///     revoked                whose names were taken out of it
///     writers                whose the replica ids are that have written, by the names in allowed/
///     equivocations          operations with two contents, for which their writers were suspended
/// ```
public struct KeyDirectory: Sendable, Hashable {
  /// Where the directory is.
  public let path: String

  /// Names a directory. Nothing is read or made until a key is asked for.
  public init(_ path: String) {
    self.path = path
  }

  // MARK: Our own

  /// Makes a new pair of keys; the directory too, where it is missing.
  ///
  /// - Throws: `KeyDirectoryError(.exists)` where there are keys already: others know them.
  @discardableResult
  public func makeKeys() throws -> PublicKey {
    guard !FileManager.default.fileExists(atPath: secretPath) else {
      throw KeyDirectoryError(
        .exists,
        "'\(path)' has keys, which others may know already. Choose another directory, or remove '\(secretPath)'.")
    }
    let keys = try KeyPair()
    try make(path)
    try make(allowedPath)
    try write(keys.publicKey.description + "\n", to: publicPath, permissions: 0o644)
    // Last: where it stands, all of it does.
    try write(keys.secretText + "\n", to: secretPath, permissions: 0o600)
    return keys.publicKey
  }

  /// - Throws: `KeyDirectoryError(.missing)` where there are none, `.unreadable` where they are damaged, `.open` where
  ///   others may read the secret one.
  public func keys() throws -> KeyPair {
    guard let text = try? String(contentsOfFile: secretPath, encoding: .utf8) else {
      throw KeyDirectoryError(
        .missing, "'\(secretPath)' cannot be read. Make keys first: starling keys new --directory '\(path)'")
    }
    let permissions = (try? FileManager.default.attributesOfItem(atPath: secretPath))?[.posixPermissions] as? Int
    guard let permissions, permissions & 0o077 == 0 else {
      throw KeyDirectoryError(.open, "'\(secretPath)' may be read by others. Close it: chmod 600 '\(secretPath)'")
    }
    do {
      return try KeyPair(secretText: text.trimmingCharacters(in: .whitespacesAndNewlines))
    } catch {
      throw KeyDirectoryError(.unreadable, "\(secretPath): \(error)")
    }
  }

  // MARK: Which peers they let in

  /// Lets a key in, or changes what it may do. A replica that runs notices within a second.
  public func authorize(_ key: AllowedKey) throws {
    guard Self.isName(key.name) else {
      throw KeyDirectoryError(
        .name, "'\(key.name)' is no name for a key: use 1 to 64 letters, digits, dots, underscores or hyphens.")
    }
    if let other = try allowed().keys.first(where: { $0.key == key.key && $0.name != key.name }) {
      throw KeyDirectoryError(.exists, "This key is let in as '\(other.name)' already. Revoke that first.")
    }
    try make(path)
    try make(allowedPath)
    try write(key.text, to: "\(allowedPath)/\(key.name)", permissions: 0o644)
  }

  /// Lets a key in no more. A replica that runs cuts its connections within a second.
  ///
  /// - Throws: `KeyDirectoryError(.missing)`, naming those there are, where nobody has that name.
  public func revoke(_ name: String) throws {
    let file = "\(allowedPath)/\(name)"
    guard Self.isName(name), FileManager.default.fileExists(atPath: file) else {
      let names = (try? allowed().keys.map(\.name)) ?? []
      throw KeyDirectoryError(
        .missing,
        "Nobody is let in as '\(name)'. There is: \(names.isEmpty ? "nobody" : names.joined(separator: ", ")).")
    }
    // First: an allowlist that has named somebody is one, though nobody is left in it.
    try append("\(name)\n", to: revokedPath)
    try FileManager.default.removeItem(atPath: file)
  }

  /// Lets a key in no more, and keeps its entry with the reason, until somebody authorizes it again.
  ///
  /// - Parameter name: the allowlist's for its owner.
  func suspend(_ name: String, because reason: String) throws {
    guard var entry = try allowed().keys.first(where: { $0.name == name }), entry.suspended == nil else {
      return
    }
    entry.suspended = reason.split(whereSeparator: \.isNewline).joined(separator: " ")
    try write(entry.text, to: "\(allowedPath)/\(entry.name)", permissions: 0o644)
  }

  /// Whether a name was ever taken out of the allowlist.
  var hasRevoked: Bool { FileManager.default.fileExists(atPath: revokedPath) }

  /// The keys that are let in, by name, and what of the directory cannot be read, which lets nobody in.
  public func allowed() throws -> (keys: [AllowedKey], errors: [KeyDirectoryError]) {
    guard FileManager.default.fileExists(atPath: allowedPath) else { return ([], []) }
    var keys: [AllowedKey] = []
    var errors: [KeyDirectoryError] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: allowedPath).sorted() where Self.isName(name) {
      let file = "\(allowedPath)/\(name)"
      do throws(KeyDirectoryError) {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
          throw KeyDirectoryError(.unreadable, "\(file): it cannot be read as text.")
        }
        keys.append(try AllowedKey(name: name, text: text, file: file))
      } catch {
        errors.append(error)
      }
    }
    return (keys, errors)
  }

  /// What changes when the allowlist does, without reading it.
  func allowedState() -> [String] {
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: allowedPath)) ?? []).sorted()
    return [hasRevoked ? "revoked" : ""]
      + names.map { name in
        let attributes = try? FileManager.default.attributesOfItem(atPath: "\(allowedPath)/\(name)")
        let moment = (attributes?[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
        return "\(name) \(moment) \(attributes?[.size] ?? 0) \(attributes?[.systemFileNumber] ?? 0)"
      }
  }

  // MARK: Writers

  /// The owners of the replica ids that have written, in the order in which that became known.
  ///
  /// A line for each: the id, the allowlist's name for its writer, and since when. A line of two words is of a version
  /// that wrote the key instead of the name.
  ///
  /// - Throws: `KeyDirectoryError(.unreadable)` where the file is there and cannot be read: without it anybody could
  ///   write under anybody's id.
  func writers() throws -> [WriterBinding] {
    guard FileManager.default.fileExists(atPath: writersPath) else { return [] }
    guard let text = try? String(contentsOfFile: writersPath, encoding: .utf8) else {
      throw KeyDirectoryError(
        .unreadable,
        "'\(writersPath)' cannot be read. It says whose each replica id is: put it back from a copy, or remove it and have "
          + "every writer go on in a new directory.")
    }
    let names = Dictionary(try allowed().keys.map { ($0.key.description, $0.name) }) { first, _ in first }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    // The end of a line that was being written when the machine stopped says nothing.
    lines.removeLast()
    return try lines.enumerated().map { place, line in
      let parts = line.split(separator: " ").map(String.init)
      guard (2...3).contains(parts.count), let id = UInt64(parts[0], radix: 16), WriterBinding.isName(parts[1]),
        let boundAt = parts.count == 2 ? 0 : UInt64(parts[2])
      else {
        throw KeyDirectoryError(
          .unreadable,
          "\(writersPath):\(place + 1): '\(line)' is no replica id, name and time. Put the file back from a copy.")
      }
      let name = parts.count == 2 ? names[parts[1]] ?? parts[1] : parts[1]
      return WriterBinding(replica: ReplicaID(rawValue: id), name: name, boundAt: boundAt)
    }
  }

  /// Appends a line for each, in one piece, and returns once the disk holds them.
  func note(_ writers: [WriterBinding]) throws {
    let lines = writers.map { "\(String($0.replica.rawValue, radix: 16)) \($0.name) \($0.boundAt)\n" }
    try append(lines.joined(), to: writersPath)
  }

  // MARK: Suspended writers

  /// The operations with two contents for which writers were suspended, in the order in which that became known: a line
  /// for each with the replica id, the counter and the document.
  ///
  /// - Throws: `KeyDirectoryError(.unreadable)` where the file is there and cannot be read: without it writers that
  ///   were let in again would be suspended again.
  func equivocations() throws -> [EquivocationReport] {
    guard FileManager.default.fileExists(atPath: equivocationsPath) else { return [] }
    guard let text = try? String(contentsOfFile: equivocationsPath, encoding: .utf8) else {
      throw KeyDirectoryError(
        .unreadable,
        "'\(equivocationsPath)' cannot be read. It says for what writers were suspended: put it back from a copy, or "
          + "remove it and let those in again who are suspended once more.")
    }
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    // The end of a line that was being written when the machine stopped says nothing.
    lines.removeLast()
    return try lines.enumerated().map { place, line in
      let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
      guard parts.count == 3, let id = UInt64(parts[0], radix: 16), let counter = UInt64(parts[1]),
        let document = parts[2].removingPercentEncoding.flatMap({ DocumentID($0) })
      else {
        throw KeyDirectoryError(
          .unreadable,
          "\(equivocationsPath):\(place + 1): '\(line)' is no replica id, counter and document. Put the file back from a "
            + "copy.")
      }
      return EquivocationReport(Dot(ReplicaID(rawValue: id), counter), in: document)
    }
  }

  /// Returns once the disk holds it.
  func noteEquivocation(_ report: EquivocationReport) throws {
    let replica = String(report.dot.replica.rawValue, radix: 16)
    // No name ends a line or leaves one out.
    let name = report.document.name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    try append("\(replica) \(report.dot.counter) \(name)\n", to: equivocationsPath)
  }

  // MARK: Files

  private var secretPath: String { "\(path)/secret" }
  private var publicPath: String { "\(path)/public" }
  private var allowedPath: String { "\(path)/allowed" }
  private var revokedPath: String { "\(path)/revoked" }
  private var writersPath: String { "\(path)/writers" }
  private var equivocationsPath: String { "\(path)/equivocations" }

  /// As a group's, and no file that is hidden.
  private static func isName(_ text: String) -> Bool { IPCDirectory.isName(text) && !text.hasPrefix(".") }

  private func make(_ directory: String) throws {
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// Returns once the disk holds it.
  private func append(_ line: String, to path: String) throws {
    if !FileManager.default.fileExists(atPath: path) { try write("", to: path, permissions: 0o600) }
    guard let file = FileHandle(forUpdatingAtPath: path) else {
      throw KeyDirectoryError(.unreadable, "'\(path)' cannot be written.")
    }
    let end = try file.seekToEnd()
    if end > 0 {
      try file.seek(toOffset: end - 1)
      if try file.read(upToCount: 1) != Data("\n".utf8) {
        // A line that was torn when the machine stopped, or the disk was full, says nothing.
        try file.seek(toOffset: 0)
        let whole = try file.readToEnd() ?? Data()
        try file.truncate(atOffset: UInt64(whole.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0))
        try file.seekToEnd()
      }
    }
    try file.write(contentsOf: Data(line.utf8))
    try file.synchronize()
    try file.close()
  }

  /// All of it or nothing: a replica may read the directory at any moment.
  private func write(_ text: String, to file: String, permissions: Int) throws {
    let unfinished = "\(file).\(UInt32.random(in: .min ... .max)).new"
    guard
      FileManager.default.createFile(
        atPath: unfinished, contents: Data(text.utf8), attributes: [.posixPermissions: permissions]),
      rename(unfinished, file) == 0
    else {
      try? FileManager.default.removeItem(atPath: unfinished)
      throw KeyDirectoryError(.unreadable, "'\(file)' cannot be written: \(String(cString: strerror(errno))).")
    }
  }
}

/// What is wrong with a directory of keys, in words for the person who must act on it.
public struct KeyDirectoryError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What went wrong, for a program to switch on.
  public enum Code: Sendable, Hashable {
    /// What was asked for is not there.
    case missing
    /// It is there already.
    case exists
    /// A file cannot be read, or written, or is not what it should be.
    case unreadable
    /// A secret that others may read.
    case open
    /// Not a name.
    case name
  }

  /// What went wrong, for a program to switch on.
  public var code: Code
  /// What happened and what to do, for people.
  public var message: String

  /// Makes an error of a code and a message.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
