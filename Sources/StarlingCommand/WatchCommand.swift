import ArgumentParser
import Foundation
import Starling
import UnixSignals

extension StarlingCommand {
  struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print what others write, a line each, until interrupted.",
      discussion: """
        A line shows when a change arrived, the path, the old and the new value, and its writer's replica id:

          12:00:07  front-desk/title: "Dune" → "Dune Messiah"  (5f0c7a1e33b98d42)
        """)

    @OptionGroup var membership: Membership
    @Argument(help: "Only what is at this path, or below it.") var path = PathArgument(.root)
    @OptionGroup var document: DocumentOption
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
      try await membership.join(document: document.name) { joined in
        let arrivals = try joined.document.arrivals()
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        say("watching '\(joined.document.id)'; interrupt to end.")
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            for try await arrival in arrivals where arrival.path.isWithin(path.path) {
              put(json ? arrival.json(at: Date()).description : arrival.line(at: Date()))
            }
          }
          group.addTask { for await _ in signals { return } }
          defer { group.cancelAll() }
          try await group.next()
        }
      }
    }
  }
}

extension JSONArrival {
  fileprivate func line(at date: Date) -> String {
    let time = date.formatted(.iso8601.time(includingFractionalSeconds: false))
    let beside = conflictCount > 0 ? ", \(counted(conflictCount, "other value")) beside it" : ""
    return "\(time)  \(path.shown): \(words)\(beside)  (\(writers.map(\.description).joined(separator: ", ")))"
  }

  private var words: String {
    switch what {
    case .changed(let from, let to):
      let (from, to) = Excerpt.pair(from?.description ?? "nothing", to?.description ?? "nothing")
      return "\(from) → \(to)"
    case .moved(let from, let to): return "element \(from) moved to \(to)"
    case .marked(let range): return "characters \(range.lowerBound) to \(range.upperBound) marked otherwise"
    case .conflicted: return "as it was"
    }
  }

  fileprivate func json(at date: Date) -> JSONValue {
    var row: JSONValue = [
      "time": .string(moment(date)),
      "path": .string(path.pointer), "writers": .array(writers.map { .string($0.description) }),
      "conflicts": .integer(Int64(conflictCount)),
    ]
    switch what {
    case .changed(let from, let to):
      row["what"] = "changed"
      // What was not there, or is not any more, has no member.
      if let from { row["from"] = from }
      if let to { row["to"] = to }
    case .moved(let from, let to):
      row["what"] = "moved"
      row["from"] = .integer(Int64(from))
      row["to"] = .integer(Int64(to))
    case .marked(let range):
      row["what"] = "marked"
      row["range"] = [.integer(Int64(range.lowerBound)), .integer(Int64(range.upperBound))]
    case .conflicted: row["what"] = "conflicted"
    }
    return row
  }
}

/// Two long texts, cut down to where they differ.
enum Excerpt {
  private static let countMax = 60
  private static let margin = 16

  static func pair(_ from: String, _ to: String) -> (String, String) {
    guard max(from.count, to.count) > countMax else { return (from, to) }
    let common = from.commonPrefix(with: to).count
    return (cut(from, around: common), cut(to, around: common))
  }

  private static func cut(_ text: String, around place: Int) -> String {
    guard text.count > countMax else { return text }
    let start = max(0, min(place - margin, text.count - countMax))
    let body = text.dropFirst(start).prefix(countMax)
    return (start > 0 ? "…" : "") + body + (start + countMax < text.count ? "…" : "")
  }
}
