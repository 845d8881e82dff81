import ArgumentParser
import Starling

extension StarlingCommand {
  struct Diff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show what differs between two moments of a document: old → new, by path.",
      discussion: """
        FROM and TO are changes, by their ids in 'starling history', or times, as 2027-01-31T12:00:00Z or 2027-01-31, by the \
        clocks of the writers. Without TO it compares with the present.

          starling diff library 5f0c9a1b:12
          starling diff library 2027-01-30 2027-01-31 --path front-desk
        """)

    @OptionGroup var membership: Membership
    @Argument(help: "The former moment: a change's id or a time.") var from: Moment
    @Argument(help: "The latter moment (default: now).") var to: Moment?
    @OptionGroup var document: DocumentOption
    @Option(help: "Only what differs at this path, or below it.") var path = PathArgument(.root)
    @Flag(help: "One JSON object a line, with the whole values.") var json = false

    func run() async throws {
      try await membership.join(document: document.name, expectsMembers: true, Past.configure) { joined in
        let past = Past(joined)
        let former = try await past.document(at: from)
        let latter = if let to { try await past.document(at: to) } else { try await past.present() }
        let lines = JSONDifference(from: former, to: latter).lines.within(path.path)
        for line in lines { put(json ? line.json.description : line.words) }
        if lines.isEmpty { say("nothing differs there.") }
      }
    }
  }
}

extension [JSONDifference.Line] {
  /// Those at the path, below it or around it.
  func within(_ path: DocumentPath) -> [JSONDifference.Line] {
    filter { $0.path.isWithin(path) || path.isWithin($0.path) }
  }
}

extension JSONDifference.Line {
  private static let valueCountMax = 100
  private static let marginCount = 20

  /// One line, whatever the values are.
  var words: String {
    if change == .order { return "\(path.shown): the same elements in another order" }
    if case .string(let from)? = former, case .string(let to)? = latter {
      let (from, to) = Self.excerpts(from, to)
      return "\(path.shown): \(JSONValue.string(from)) → \(JSONValue.string(to))"
    }
    return "\(path.shown): \(Self.short(former)) → \(Self.short(latter))"
  }

  var json: JSONValue {
    var json: JSONValue = ["path": .string(path.pointer), "change": .string(change.rawValue)]
    if let former { json["old"] = former }
    if let latter { json["new"] = latter }
    return json
  }

  private static func short(_ value: JSONValue?) -> String {
    guard let text = value?.description else { return "nothing" }
    return text.count > valueCountMax ? text.prefix(valueCountMax) + "…" : text
  }

  /// Of two long strings the part in which they differ, with some characters around it.
  private static func excerpts(_ from: String, _ to: String) -> (String, String) {
    guard from.count > valueCountMax || to.count > valueCountMax else { return (from, to) }
    let found = DifferingParts(Array(from), Array(to), margin: marginCount)
    func words(_ part: DifferingParts<Character>.Part) -> String {
      let isCutBehind = part.isCutBehind || part.shown.count > valueCountMax
      return (part.isCutBefore ? "…" : "") + String(part.shown.prefix(valueCountMax)) + (isCutBehind ? "…" : "")
    }
    return (words(found.former), words(found.latter))
  }
}
