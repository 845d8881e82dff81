import ArgumentParser
import Starling

extension StarlingCommand {
  struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Say who is in the group and where its document stands.")

    @OptionGroup var membership: Membership
    @Flag(help: "One JSON object.") var json = false

    func run() async throws {
      try await membership.join { joined in
        let replica = joined.replica
        let members = await replica.members()
        let writers = replica.version.entries.count
        let operations = replica.version.entries.reduce(0 as UInt64) { $0 &+ $1.counter }
        let digest = replica.digest?.description
        put(
          json
            ? JSONValue.description(of: replica.group, digest, writers, operations, members)
            : Self.lines(of: replica.group, digest, writers, operations, members))
      }
    }

    private static func lines(
      of group: String, _ digest: String?, _ writers: Int, _ operations: UInt64, _ members: [EngineStatus.Peer]
    ) -> String {
      let rows = members.map { "  \($0.store)  \($0.traits)" }
      let work = "\(counted(operations, "operation")) by \(counted(writers, "writer"))"
      return
        (["'\(group)': \(work), digest \(digest ?? "-")", rows.isEmpty ? "Nobody else is here." : "Members:"] + rows)
        .joined(separator: "\n")
    }
  }
}

extension JSONValue {
  fileprivate static func description(
    of group: String, _ digest: String?, _ writers: Int, _ operations: UInt64, _ members: [EngineStatus.Peer]
  ) -> String {
    let report: JSONValue = [
      "group": .string(group), "digest": digest.map { .string($0) } ?? nil, "writers": .integer(Int64(writers)),
      "operations": .unsigned(operations),
      "peers": .array(
        members.map {
          [
            "store": .string($0.store.description), "agent": .string($0.agent), "isDurable": .bool($0.isDurable),
            "isRelay": .bool($0.isRelay),
          ]
        }),
    ]
    return report.description
  }
}
