import ArgumentParser
import Starling

extension StarlingCommand {
  struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the group's members and the version of its document.")

    @OptionGroup var membership: Membership
    @Flag(help: "One JSON object.") var json = false

    func run() async throws {
      try await membership.join { joined in
        let replica = joined.replica
        let members = await replica.members()
        let writers = replica.version.entries.count
        let operations = replica.version.entries.reduce(0 as UInt64) { $0 &+ $1.counter }
        let digest = replica.digest?.description
        let progress = await replica.progress()
        put(
          json
            ? JSONValue.description(of: replica.group, digest, writers, operations, members, progress)
            : Self.lines(of: replica.group, digest, writers, operations, members, progress))
      }
    }

    private static func lines(
      of group: String, _ digest: String?, _ writers: Int, _ operations: UInt64, _ members: [EngineStatus.Peer],
      _ progress: DocumentProgress?
    ) -> String {
      let rows = members.map { member in
        let arriving = member.documents.first { $0.id.name == group }?.arriving
        return "  \(member.store)  \(member.traits)" + (arriving.map { "; \($0.words) have come there" } ?? "")
          + (member.notice.map { "; one way only: \($0)" } ?? "")
      }
      let work = "\(counted(operations, "operation")) by \(counted(writers, "writer"))"
      let lacking = progress.map { $0.knownOperationCount - $0.operationCount } ?? 0
      let rest =
        (lacking > 0 ? ["\(counted(lacking, "operation")) more are held elsewhere."] : [])
        + (progress?.arriving.map { ["\($0.words) have come here."] } ?? [])
      let standing = ["'\(group)': \(work), digest \(digest ?? "-")"] + rest
      return (standing + [rows.isEmpty ? "Nobody else is here." : "Members:"] + rows).joined(separator: "\n")
    }
  }
}

extension JSONValue {
  fileprivate static func description(
    of group: String, _ digest: String?, _ writers: Int, _ operations: UInt64, _ members: [EngineStatus.Peer],
    _ progress: DocumentProgress?
  ) -> String {
    let report: JSONValue = [
      "group": .string(group), "digest": digest.map { .string($0) } ?? nil, "writers": .integer(Int64(writers)),
      "operations": .unsigned(operations), "known": .unsigned(progress?.knownOperationCount ?? operations),
      "arriving": progress?.arriving?.json ?? nil,
      "peers": .array(
        members.map {
          [
            "store": .string($0.store.description), "agent": .string($0.agent), "isDurable": .bool($0.isDurable),
            "isRelay": .bool($0.isRelay), "notice": $0.notice.map { .string($0) } ?? nil,
            "arriving": $0.documents.first { $0.id.name == group }?.arriving?.json ?? nil,
          ]
        }),
    ]
    return report.description
  }
}
