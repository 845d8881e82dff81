import Foundation
import StarlingCore
public import StarlingZeroMQ

/// The keys of one replica, and whom they let in: a directory of small files that a person can read and change while
/// the replica runs.
///
/// ```
///   keys/             0700
///     secret          0600   this replica's secret key
///     public                 its public key, to be given to those who dial it
///     allowed/
///       ada                  one key: what it may do, until when
///     revoked                whose names were taken out of it
///     writers                which replica ids have written under which key
/// ```
public struct KeyDirectory: Sendable, Hashable {
  public let path: String

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

  // MARK: Whom they let in

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

  /// Whether a name was ever taken out of the allowlist.
  var hasRevoked: Bool { FileManager.default.fileExists(atPath: revokedPath) }

  /// Who is let in, by name, and what of the directory cannot be read, which lets nobody in.
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

  // MARK: Who wrote

  /// Which replica ids have written under which key.
  func writers() throws -> [ReplicaID: String] {
    guard let text = try? String(contentsOfFile: writersPath, encoding: .utf8) else { return [:] }
    var writers: [ReplicaID: String] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ")
      // The end of a line that was being written when the machine stopped says nothing.
      guard parts.count == 2, let id = UInt64(parts[0], radix: 16), PublicKey(String(parts[1])) != nil else { continue }
      writers[ReplicaID(rawValue: id)] = writers[ReplicaID(rawValue: id)] ?? String(parts[1])
    }
    return writers
  }

  func noteWriter(_ replica: ReplicaID, _ key: String) throws {
    try append("\(String(replica.rawValue, radix: 16)) \(key)\n", to: writersPath)
  }

  // MARK: Files

  private var secretPath: String { "\(path)/secret" }
  private var publicPath: String { "\(path)/public" }
  private var allowedPath: String { "\(path)/allowed" }
  private var revokedPath: String { "\(path)/revoked" }
  private var writersPath: String { "\(path)/writers" }

  /// As a group's, and no file that is hidden.
  private static func isName(_ text: String) -> Bool { IPCDirectory.isName(text) && !text.hasPrefix(".") }

  private func make(_ directory: String) throws {
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// Returns once the disk holds it.
  private func append(_ line: String, to path: String) throws {
    if !FileManager.default.fileExists(atPath: path) { try write("", to: path, permissions: 0o600) }
    guard let file = FileHandle(forWritingAtPath: path) else {
      throw KeyDirectoryError(.unreadable, "'\(path)' cannot be written.")
    }
    try file.seekToEnd()
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

  public var code: Code
  public var message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
