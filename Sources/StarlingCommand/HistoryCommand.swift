import ArgumentParser
import Starling

extension StarlingCommand {
  struct History: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show who wrote what and when, the newest change first.",
      discussion: """
        It reaches back as far as the logs of the members do. A line is a change: its time by the writer's clock, its id, \
        how much it wrote, and where. The id begins with the writer's replica id; 'starling get --at' and 'starling diff' \
        take it. A process without a directory writes under another replica id in each run.

          starling history library --path front-desk/title
          starling history library --changes
        """)

    @OptionGroup var membership: Membership
    @OptionGroup var document: DocumentOption
    @Option(help: "Only changes at this path, or below it.") var path = PathArgument(.root)
    @Option(help: "How many changes at most; 0 for all.") var limit = 20
    @Flag(help: "Below each change, what it changed: old → new, by path.") var changes = false
    @Flag(help: "One JSON object a line.") var json = false

    /// A line names so many of the places that a change touched.
    private static let placesShownMax = 4

    func run() async throws {
      try await membership.join(document: document.name, expectsMembers: true, Past.configure) { joined in
        let places = try joined.document.places()
        var cursor: HistoryCursor?
        var count = 0
        repeat {
          let page = try await joined.replica.engine.historyPage(of: joined.document.id, from: cursor, isDetailed: true)
          for change in page.changes {
            let paths = (change.touched ?? []).compactMap(places.path)
            guard path.path.parts.isEmpty || paths.contains(where: { $0.isWithin(path.path) || path.path.isWithin($0) })
            else { continue }
            let difference = changes ? try await Past(joined).difference(of: change).lines : []
            if json {
              put(Self.row(change, paths, changes ? difference : nil).description)
            } else {
              put(Self.line(change, paths))
              for line in difference.within(path.path) { put("    " + line.words) }
            }
            count += 1
            if count == limit { return }
          }
          cursor = page.next
          if cursor == nil, !page.beginning.isEmpty {
            say("what came before is known as a state alone: no log that was reached keeps it change by change.")
          }
        } while cursor != nil
        if count == 0 { say("nothing was written there that a log still holds.") }
      }
    }

    private static func line(_ change: ChangeSummary, _ paths: [DocumentPath]) -> String {
      let paths = paths.uppermost
      let more = paths.count - placesShownMax
      let places = paths.prefix(placesShownMax).map(\.shown).joined(separator: ", ")
      let message = change.message.map { "  \(JSONValue.string($0))" } ?? ""
      return "\(moment(milliseconds: change.milliseconds))  \(change.shortID)  "
        + "\(counted(change.operationCount, "operation"))\(message)  \(places)\(more > 0 ? " and \(more) more" : "")"
    }

    private static func row(
      _ change: ChangeSummary, _ paths: [DocumentPath], _ difference: [JSONDifference.Line]?
    ) -> JSONValue {
      var row: JSONValue = [
        "time": .string(moment(milliseconds: change.milliseconds)), "writer": .string(change.writer.description),
        "first": .string(change.first.description), "last": .string(change.last.description),
        "operations": .integer(Int64(change.operationCount)), "message": change.message.map { .string($0) } ?? nil,
        "paths": .array(paths.map { .string($0.pointer) }),
        "id": .string(change.shortID),
      ]
      if let difference { row["changes"] = .array(difference.map(\.json)) }
      return row
    }
  }
}
