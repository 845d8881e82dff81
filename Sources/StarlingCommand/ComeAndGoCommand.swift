import ArgumentParser
import Foundation
import Starling

extension StarlingCommand {
  /// Replicas that are opened, write once and are closed, many of them in one process: what Scripts/short-lived counts
  /// writers with. Each has a store, sockets and connections of its own, as a process of its own would; none shares
  /// anything with another but the daemon.
  struct ComeAndGo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "come-and-go", abstract: "Open, write and close many replicas, to try a daemon.",
      shouldDisplay: false)

    @OptionGroup var membership: Membership
    @Option(help: "How many replicas in all.") var count = 100
    @Option(help: "How many of them at the same time.") var atOnce = 24
    @Flag(help: "Give each an id of its own, as if no daemon leased any.") var withoutLeases = false

    func validate() throws {
      guard (1...10_000_000).contains(count), (1...200).contains(atOnce) else {
        throw ValidationError("--count is 1 to 10000000, --at-once 1 to 200.")
      }
    }

    func run() async throws {
      try await sayingWhatFails {
        let visitor = Visitor(membership, leases: !withoutLeases)
        var ids: Set<ReplicaID> = []
        try await withThrowingTaskGroup(of: ReplicaID.self) { visits in
          for number in 0..<count {
            if number >= atOnce, let id = try await visits.next() { ids.insert(id) }
            visits.addTask { try await visitor.visit(number) }
          }
          while let id = try await visits.next() { ids.insert(id) }
        }
        put((["visits": .integer(Int64(count)), "writers": .integer(Int64(ids.count))] as JSONValue).description)
      }
    }
  }
}

/// What one of many does.
private struct Visitor: Sendable {
  let group: String
  let options: Replica.Options
  let patience: Duration

  init(_ membership: Membership, leases: Bool) {
    group = membership.group
    patience = membership.patience
    var options = membership.options
    options.leasesReplicaID = leases
    self.options = options
  }

  /// - Returns: under which id it wrote.
  func visit(_ number: Int) async throws -> ReplicaID {
    let replica = try await Replica.open(group, options: options)
    do {
      guard await replica.synchronize(timeout: patience) else { throw Failure("The daemon did not answer in time.") }
      try replica.json.set(.integer(Int64(number)), at: DocumentPath(parts: ["visit-\(number % 100)"]))
      try await replica.flush(until: .received(1), timeout: patience)
      let id = replica.writer
      try await replica.close()
      return id
    } catch {
      try? await replica.close()
      throw error
    }
  }
}
