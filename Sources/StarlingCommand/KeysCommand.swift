import ArgumentParser
import Foundation
import Starling

/// The keys of a replica and those it lets in, without opening the replica: it notices within a second.
struct Keys: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make keys, and let keys in.",
    discussion: """
      Beyond this machine a replica talks only to keys that it knows. Give each machine a directory of keys, and let in \
      the keys of those that dial where a replica listens:

        server$ starling keys new --directory /etc/starling/keys
        client$ starling keys new --directory ~/keys
        server$ starling keys authorize KEY-OF-THE-CLIENT --name ada --directory /etc/starling/keys
        server$ starlingd --group library --directory /var/lib/starling --keys /etc/starling/keys --listen tcp://0.0.0.0:7400
        client$ starling status library --keys ~/keys --connect tcp://KEY-OF-THE-SERVER@server:7400
      """,
    subcommands: [New.self, Show.self, Authorize.self, Revoke.self, List.self])

  struct Place: ParsableArguments {
    @Option(help: "The directory of keys.")
    var directory: String

    /// Runs `body`, and says a person's mistake in words.
    func with(_ body: (KeyDirectory) throws -> Void) throws {
      do {
        try body(KeyDirectory((directory as NSString).expandingTildeInPath))
      } catch let error as KeyDirectoryError {
        FileHandle.standardError.write(Data("starling: \(error)\n".utf8))
        throw ExitCode.failure
      }
    }
  }

  struct New: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Make a pair of keys, and print the public one.")

    @OptionGroup var place: Place

    func run() throws {
      try place.with { print(try $0.makeKeys()) }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print the public key.")

    @OptionGroup var place: Place

    func run() throws {
      try place.with { print(try $0.keys().publicKey) }
    }
  }

  struct Authorize: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let a key in, or change what it may do.",
      discussion: "Run it again with the same name to change the role, the documents or the time.")

    @Argument(help: "The public key, as 'starling keys new' printed it there.")
    var key: String

    @Option(help: "A name for its owner: letters, digits, dots, underscores, hyphens.")
    var name: String

    @Option(help: "What it may do: reads, writes, or relays (a daemon, which passes on what others wrote).")
    var role = "writes"

    @Option(help: "Which documents, with commas between: a name, a beginning and * ('notes-*'), or * for all.")
    var documents = "*"

    @Option(help: "When it expires, in UTC, as 2027-01-01 or 2027-01-01T12:00:00Z (default: never).")
    var expires: String?

    @OptionGroup var place: Place

    func run() throws {
      guard let publicKey = PublicKey(key) else {
        throw ValidationError("'\(key)' is no public key, which has 43 letters, digits, hyphens and underscores.")
      }
      guard let role = Trust.Role(rawValue: role) else {
        throw ValidationError("'\(role)' is no role. Choose reads, writes or relays.")
      }
      let patterns = try documents.split(separator: ",", omittingEmptySubsequences: false).map { part in
        let part = part.trimmingCharacters(in: .whitespaces)
        guard let pattern = DocumentPattern(part) else {
          throw ValidationError("'\(part)' names no documents; write a name, a beginning and * ('notes-*'), or *.")
        }
        return pattern
      }
      let moment = try expires.map { text in
        guard let moment = AllowedKey.date(text) else {
          throw ValidationError("'\(text)' is no time; write it as 2027-01-01 or 2027-01-01T12:00:00Z.")
        }
        return moment
      }
      try place.with { directory in
        try directory.authorize(
          AllowedKey(name: name, key: publicKey, role: role, documents: patterns, expires: moment))
        print("\(name) is let in: \(role.rawValue) \(documents)\(expires.map { " until \($0)" } ?? "")")
      }
    }
  }

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Stop letting a key in; a running replica closes its connections within a second.")

    @Argument(help: "The name under which it was let in.")
    var name: String

    @OptionGroup var place: Place

    func run() throws {
      try place.with { directory in
        try directory.revoke(name)
        print("\(name) is let in no more")
      }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List who is let in, with what role, and until when.")

    @OptionGroup var place: Place
    @Flag(help: "One JSON object a line.") var json = false

    private struct Row: Encodable {
      var name: String
      var key: String
      var role: String
      var documents: [String]
      var expires: String?
      var hasExpired: Bool
      var suspended: String?
    }

    func run() throws {
      try place.with { directory in
        let (keys, errors) = try directory.allowed()
        for error in errors { FileHandle.standardError.write(Data("starling: \(error) It lets nobody in.\n".utf8)) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for key in keys {
          let row = Row(
            name: key.name, key: key.key.description, role: key.role.rawValue,
            documents: key.documents.map(\.description), expires: key.expires?.formatted(.iso8601),
            hasExpired: key.expires.map { $0 <= Date() } ?? false, suspended: key.suspended)
          if json {
            print(String(decoding: try encoder.encode(row), as: UTF8.self))
          } else {
            let until = row.expires.map { row.hasExpired ? ", expired \($0)" : ", until \($0)" } ?? ""
            let suspended = row.suspended.map { ", suspended: \($0)" } ?? ""
            print("\(row.key)  \(row.name): \(row.role) \(row.documents.joined(separator: ", "))\(until)\(suspended)")
          }
        }
        if keys.isEmpty, errors.isEmpty, !json { print("Nobody is let in.") }
        if !errors.isEmpty { throw ExitCode(2) }
      }
    }
  }
}
