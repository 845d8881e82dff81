import StarlingWire

/// The name under which processes of a machine find a group's daemon in the directory of sockets: `daemon`, or
/// `daemon-2-of-4` for the one of a shard.
package struct DaemonName: Hashable, Sendable, LosslessStringConvertible {
  package let shard: DocumentShard

  package init(_ shard: DocumentShard) { self.shard = shard }

  /// Nil for the name of anybody else.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let shard: DocumentShard? =
      switch parts.count {
      case 1: .whole
      case 4 where parts[2] == "of": DocumentShard("\(parts[1])/\(parts[3])")
      default: nil
      }
    // One shard has one name.
    guard let shard, Self(shard).description == text else { return nil }
    self.shard = shard
  }

  package var description: String { shard.isPart ? "daemon-\(shard.number)-of-\(shard.count)" : "daemon" }

  /// Which members of a directory a program talks to: a daemon that has everything, and nobody else; else the daemons of
  /// all shards. Where one of those is missing, its documents are the programs' own to exchange: all are talked to.
  static func chosen(from members: [String]) -> [String] {
    let whole = DaemonName(.whole).description
    if members.contains(whole) { return [whole] }
    let shards = Set(members.compactMap { DaemonName($0)?.shard })
    let isComplete = shards.contains { one in shards.count { $0.count == one.count } == one.count }
    return isComplete ? members.filter { DaemonName($0) != nil } : members
  }
}
