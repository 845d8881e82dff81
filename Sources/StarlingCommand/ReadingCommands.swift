import ArgumentParser
import Starling

extension StarlingCommand {
  struct Get: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the value at a path, as JSON.",
      discussion: """
        Models, records and dictionaries are objects; lists and sets are arrays; texts, dates and bytes (Base64) are \
        strings; counters are numbers.

        If several values were written to one place concurrently, the visible one is printed, and standard error says that \
        there are others; --conflicts prints all of them.

        --at prints what stood there at an earlier moment: right after a change, by its id in 'starling history', or at a \
        time, as 2027-01-31T12:00:00Z or 2027-01-31, by the clocks of the writers.

          starling get library front-desk/title
          starling get library front-desk/title --at 5f0c9a1b:12
          starling get library front-desk/title --raw
          starling get library --conflicts
        """)

    @OptionGroup var membership: Membership
    @Argument(help: "The path: books/0/title or /books/0/title.") var path = PathArgument(.root)
    @OptionGroup var document: DocumentOption
    @Option(help: "What stood there after this change, as 5f0c9a1b:12, or at this time, as 2027-01-31T12:00:00Z.")
    var at: Moment?
    @Flag(help: "Print the conflicts at the path and below it instead, a line each.") var conflicts = false
    @Flag(help: "Print a string as it is, without quotes.") var raw = false
    @Flag(help: "JSON on one line; with --conflicts one object a line.") var json = false

    func run() async throws {
      try await membership.join(document: document.name, expectsMembers: true, at == nil ? { _ in } : Past.configure) {
        joined in
        if let at {
          let then = try await Past(joined).document(at: at)
          try show(then.value(at: path.path), then.conflicts(below: path.path))
        } else {
          try show(joined.document.value(at: path.path), joined.document.conflicts(below: path.path))
        }
      }
    }

    private func show(_ value: JSONValue, _ found: [JSONConflict]) {
      if conflicts {
        for conflict in found { put(json ? conflict.json.description : conflict.line) }
        if found.isEmpty { say("no values conflict there.") }
        return
      }
      if raw, case .string(let text) = value { put(text) } else { put(json ? value.description : value.lines) }
      guard !found.isEmpty else { return }
      say(
        "\(counted(found.count, "place")) with other values beside the visible one: "
          + "\(found.prefix(3).map(\.path.shown).joined(separator: ", "))\(found.count > 3 ? ", …" : ""). "
          + "--conflicts shows them; to set one settles it.")
    }
  }

  struct Dump: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print all that a document holds, as JSON.",
      discussion: "'starling load' reads it back, into this group or another.")

    @OptionGroup var membership: Membership
    @OptionGroup var document: DocumentOption
    @Flag(help: "JSON on one line.") var json = false

    func run() async throws {
      try await membership.join(document: document.name, expectsMembers: true) { joined in
        let value = try joined.document.value()
        put(json ? value.description : value.lines)
      }
    }
  }
}

extension JSONConflict {
  var line: String {
    let others = sides.dropFirst().map { $0.words }
    return "\(path.shown): \(sides[0].words)\n" + others.map { "  beside \($0)" }.joined(separator: "\n")
  }

  var json: JSONValue {
    [
      "path": .string(path.pointer), "visible": sides[0].value,
      "sides": .array(
        sides.map {
          [
            "value": $0.value, "writer": .string($0.writer.description),
            "time": .string(moment(milliseconds: $0.milliseconds)),
          ]
        }),
    ]
  }
}

extension JSONConflict.Side {
  fileprivate var words: String { "\(value)  by \(writer), \(moment(milliseconds: milliseconds))" }
}
