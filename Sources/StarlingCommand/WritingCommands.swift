public import ArgumentParser
import Foundation
public import Starling
import StarlingTerminal

/// How a command that writes does so.
struct Writing: ParsableArguments {
  @Option(help: "Kept in the change, for those who read the history.")
  var message: String?

  @Option(
    help: """
      A directory for the command's own replica: then all runs are one writer. Without it a run leases its id from a \
      daemon, or, without a daemon, is a new writer, for which every member keeps an entry.
      """)
  var directory: String?
}

extension Membership {
  /// Joins, writes, and returns once another member has what was written.
  func write(
    _ writing: Writing, document: String?, isJSON: Bool, _ body: (JSONDocument) throws -> JSONValue
  ) async throws {
    try await join(document: document, in: writing.directory, isUrgent: false, expectsMembers: true) { joined in
      guard await !joined.replica.status().peers.isEmpty else {
        throw Failure(
          "Nobody else is in '\(group)', so nothing was written. Start a process of the group, or name a daemon with "
            + "--connect.")
      }
      let former = joined.document.version
      let display = ProgressDisplay("Writing to '\(group)'")
      defer { display.end() }
      var report = try body(joined.document)
      let isChanged = joined.document.version != former
      display.show(title: "Waiting until another member has it")
      let isDurable = isChanged ? try await joined.waitUntilAcknowledged(timeout: patience) : false
      display.end()
      if isJSON {
        report["changed"] = .bool(isChanged)
        report["acknowledged"] = .bool(isChanged)
        report["durable"] = .bool(isDurable)
        put(report.description)
      } else if isChanged {
        say(
          isDurable
            ? "written, and acknowledged by another member, which has it on disk."
            : "written, and acknowledged by another member, which has it in memory alone: it is lost if all who have it end."
        )
      } else {
        say("the value is the same already; nothing was written.")
      }
    }
  }
}

extension Joined {
  /// - Returns: whether a member has it on disk; where none that keeps anything on disk is here, one has it in memory.
  fileprivate func waitUntilAcknowledged(timeout limit: Duration) async throws -> Bool {
    let start = ContinuousClock.now
    do {
      try await replica.engine.flush(document.id, until: .received(1), timeout: limit)
      guard await replica.status().peers.contains(where: \.isDurable) else { return false }
      let rest = max(.zero, limit - (ContinuousClock.now - start))
      do {
        try await replica.engine.flush(document.id, until: .replicated(1), timeout: rest)
        return true
      } catch let error as FlushError where error.code == .timedOut {
        return false
      }
    } catch let error as FlushError where error.code == .timedOut {
    }
    let denials = await replica.status().peers.isEmpty ? "They are gone by now." : "They may not let this key write."
    throw Failure(
      "It was written here and sent, and no other member acknowledged it within \(limit). \(denials) Whether they have "
        + "it is not known: look with 'starling get', and at 'starling doctor'.")
  }
}

extension StarlingCommand {
  struct SetValue: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set",
      abstract: "Write a value at a path, and wait until another member has it.",
      discussion: """
        The value is JSON; --string takes it as it is. A write keeps the kind of the present value: it increments a \
        counter by the difference, edits a list or text where it differs, and writes a date as a date. To replace a value \
        of another kind, name the new kind with --as. A write settles a conflict.

        In a list, - is the place after the last element; in a set, true inserts a member and false removes it.

          starling set library front-desk/title --string 'Dune Messiah'
          starling set library front-desk/copies 12
          starling set library front-desk/tags/novel true
          starling set library front-desk/chapters/- '{"title": "Two"}'
          starling set library front-desk/subtitle --remove
        """)

    @OptionGroup var membership: Membership
    @Argument(help: "The path: books/0/title or /books/0/title.") var path: PathArgument
    @Argument(help: "The value, as JSON.") var value: String?
    @OptionGroup var document: DocumentOption
    @OptionGroup var writing: Writing
    @Option(name: .customLong("as"), help: "The kind of the new value, whatever the present one is.") var form:
      JSONForm?
    @Option(help: "The value, as a string without quotes.") var string: String?
    @Flag(help: "Remove the value.") var remove = false
    @Flag(help: "One JSON object.") var json = false

    func validate() throws {
      guard [value != nil, string != nil, remove].count(where: { $0 }) == 1 else {
        throw ValidationError("Give one of: a VALUE as JSON, --string TEXT, --remove.")
      }
    }

    func run() async throws {
      let new = try string.map { .string($0) } ?? value.map(Self.parse)
      try await membership.write(writing, document: document.name, isJSON: json) { document in
        if let new {
          try document.set(new, at: path.path, as: form, message: writing.message)
        } else {
          try document.remove(at: path.path, message: writing.message)
        }
        return ["path": .string(path.path.pointer), "value": new ?? nil]
      }
    }

    private static func parse(_ text: String) throws -> JSONValue {
      do throws(JSONError) {
        return try JSONValue(parsing: text)
      } catch {
        throw ValidationError(
          "'\(text)' is no JSON, column \(error.column): \(error.message). A text that is not JSON is given with --string."
        )
      }
    }
  }

  struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a document read like a JSON file, and wait until another member has it.",
      discussion: """
        It writes the differences and nothing else, as one change: it increments counters, edits lists and texts, and \
        removes what the file does not name, unless --merge keeps that. If any part of the file cannot be written, nothing \
        is.

          starling dump library > library.json; edit library.json; starling load library library.json
          echo '{"front-desk": {"title": "Emma"}}' | starling load library --merge
        """)

    @OptionGroup var membership: Membership
    @Argument(help: "The file; - or nothing for standard input.", completion: .file()) var file = "-"
    @Option(help: "The path in the document.") var path = PathArgument(.root)
    @OptionGroup var document: DocumentOption
    @OptionGroup var writing: Writing
    @Flag(help: "Keep what the file does not name, and remove what is null in it (RFC 7396).") var merge = false
    @Flag(help: "One JSON object.") var json = false

    func run() async throws {
      let new = try await read()
      try await membership.write(writing, document: document.name, isJSON: json) { document in
        try document.load(new, at: path.path, isMerging: merge, message: writing.message)
        return ["path": .string(path.path.pointer)]
      }
    }

    private func read() async throws -> JSONValue {
      var value = JSONValue.null
      try await sayingWhatFails {
        let name = file == "-" ? "standard input" : "'\(file)'"
        guard let data = contents(of: file) else { throw Failure("\(name) cannot be read.") }
        do throws(JSONError) {
          value = try JSONValue(parsing: data)
        } catch {
          throw Failure("\(name) is no JSON, \(error). Nothing was written.")
        }
      }
      return value
    }
  }
}

extension JSONForm: ExpressibleByArgument {}
