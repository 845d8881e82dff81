import StarlingCore
import StarlingWire

@testable import StarlingSession

extension Conversation {
  /// Notes by number, with the operations that wrote them. They are found by their names, whatever versions say.
  typealias Notes = [Int: Dot]

  static func key(of note: Int) -> Key { .name("note \(note)") }

  static func notes(in document: borrowing Document) -> Notes {
    var notes: Notes = [:]
    for key in document.keys(in: .root) {
      guard case .name(let name) = key, name.hasPrefix("note "), let note = Int(name.dropFirst(5)),
        case .value(_, let dot) = document.visible(key, in: .root)
      else { continue }
      notes[note] = dot
    }
    return notes
  }

  /// A replica as it stands, shared by all states in which it stands so, with what they are judged by: that is found
  /// once for all of them.
  final class Seat {
    let replica: ValueReplica
    let hash: Int

    init(_ replica: consuming ValueReplica, hash: Int) {
      self.replica = replica
      self.hash = hash
    }

    lazy var shown = Conversation.notes(in: replica.content)
    lazy var kept = Kept(replica.log, hash: 0)
    lazy var digest = replica.content.cut().digest()
    lazy var lease = document.leaseClient.held?.grant.replica
    /// How much of each writer's it counts as acknowledged by another store.
    lazy var acknowledged = {
      let members = document.members
      return replica.content.version.entries.map {
        VersionVector.Entry(replica: $0.replica, counter: members.acknowledged(of: $0.replica))
      }
    }()
    /// What it takes each peer that it follows to hold.
    lazy var beliefs: [PeerHandle: VersionVector] = {
      let session = document.session
      var beliefs: [PeerHandle: VersionVector] = [:]
      for peer in session.known { beliefs[peer] = session.version(of: peer) }
      return beliefs
    }()
    lazy var isCaughtUp = document.session.isCaughtUp

    var document: DocumentState { replica.replication.documents[replica.number] }
  }

  /// A log, and what a run would find in it that begins now.
  final class Kept {
    let log: ListLog
    let hash: Int

    init(_ log: ListLog, hash: Int) {
      self.log = log
      self.hash = hash
    }

    /// Nil where it cannot be read.
    lazy var notes: Notes? = {
      var log = log
      return (try? log.open()).map { Conversation.notes(in: $0.document) }
    }()

    /// The last counter of each writer, counted from the records.
    lazy var counters: [ReplicaID: UInt64] = {
      var counters: [ReplicaID: UInt64] = [:]
      for record in log.records { counters[record.replica] = max(counters[record.replica] ?? 0, record.lastCounter) }
      for entry in log.snapshot?.version.entries ?? [] {
        counters[entry.replica] = max(counters[entry.replica] ?? 0, entry.counter)
      }
      return counters
    }()
  }
}
