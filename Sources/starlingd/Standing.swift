import ServiceLifecycle
import StarlingReplica
import UnixSignals

/// Prints how the daemon stands whenever it is sent SIGUSR1, for scripts and for operators.
struct Standing: Service {
  /// Each SIGUSR1.
  let signals: UnixSignalsSequence
  let replica: BareReplica
  let shard: DocumentShard

  func run() async throws {
    await withGracefulShutdownHandler {
      for await _ in signals.cancelOnGracefulShutdown() {
        Output.write(await line())
      }
    } onGracefulShutdown: {
    }
  }

  private func line() async -> String {
    let status = await replica.status()
    let counters = status.counters
    let operations = replica.version.entries.reduce(0 as UInt64) { $0 &+ $1.counter }
    let report: JSONValue = [
      "store": .string(status.store.description),
      "shard": .string(shard.description),
      "operations": .unsigned(operations),
      "digest": replica.digest.map { .string($0.description) } ?? nil,
      "isUpper": status.daemons.map { .bool($0.isUpper) } ?? nil,
      "daemonsHere": status.daemons.map { .integer(Int64($0.hereCount)) } ?? nil,
      "daemonsGone": status.daemons.map { .integer(Int64($0.goneCount)) } ?? nil,
      "dialled": .integer(Int64(Set(status.peers.filter(\.isDialled).map(\.store)).count)),
      "oneWayLinks": .array(status.oneWayLinks.map { .string($0.description) }),
      "peers": .integer(Int64(Set(status.peers.map(\.store)).count)),
      "framesPublished": .integer(Int64(counters.framesPublished)),
      "framesReceived": .integer(Int64(counters.framesReceived)),
      "changesPublished": .integer(Int64(counters.changesPublished)),
      "changesMerged": .integer(Int64(counters.changesMerged)),
      "pulls": .integer(Int64(counters.pulls)),
      "answers": .integer(Int64(counters.answers)),
      "gaps": .integer(Int64(counters.gaps)),
    ]
    return report.description
  }
}
