import StarlingCore
import StarlingEngine
import StarlingReplica
import StarlingSession

/// What the page shows of the group: this daemon, its members, what joins them, its documents, and what is wrong.
struct GroupContents: Sendable {
  /// How a member stands, the worst that applies.
  enum Standing: String {
    case current, behind, slow, arriving, oneWay, inMemory, diverged
  }

  struct Member: Sendable {
    var peer: EngineStatus.Peer
    var standing = Standing.current
    /// Of the document in which it lacks most.
    var lacking: UInt64 = 0
    var lagMilliseconds: UInt64 = 0
    var remedy: String?
  }

  var group: String
  var status: EngineStatus
  var documents: [DocumentMeasurements]
  var members: [Member] = []
  var incidents: [IncidentTable.Incident]
  var writer: ReplicaID
  /// Where measurements of the last second say that endpoints do not answer.
  var endpointsUnreachable: Int

  /// So many are sent to a page.
  static let documentCountMax = 500
  static let memberCountMax = 200
  /// A member tells where it stands once a second, and this one looks as often.
  static let slowMilliseconds: UInt64 = 5000
  /// Less than that is how often a member tells.
  static let behindMilliseconds: UInt64 = 2500

  init(
    _ group: String, _ status: EngineStatus, _ measured: EngineMeasurements, writer: ReplicaID,
    lags: LagTable, incidents: IncidentTable, at milliseconds: UInt64
  ) {
    self.group = group
    self.status = status
    self.writer = writer
    documents = measured.documents
    endpointsUnreachable = measured.endpointsUnreachable
    self.incidents = incidents.incidents.reversed()
    members = status.peers.members.prefix(Self.memberCountMax).map { peer in
      var member = Member(peer: peer)
      for document in peer.documents {
        let lacking = lags.lacking(document.id, operationCount: document.operationCount)
        member.lacking = max(member.lacking, lacking)
        let lag = lags.lag(document.id, operationCount: document.operationCount, at: milliseconds)
        member.lagMilliseconds = max(member.lagMilliseconds, lag)
      }
      member.judge(diverged: incidents.diverged[peer.store] ?? [])
      return member
    }
  }

  /// The greatest lag of a member, in milliseconds.
  var lagMilliseconds: UInt64 { members.map(\.lagMilliseconds).max() ?? 0 }
}

extension GroupContents.Member {
  fileprivate mutating func judge(diverged: Set<DocumentID>) {
    if let document = diverged.map(\.name).sorted().first {
      standing = .diverged
      remedy = Finding.diverged("'\(document)'", "this daemon and store \(peer.store)").remedy
    } else if peer.isRelay, !peer.isDurable {
      standing = .inMemory
      remedy = peer.findings.first?.remedy
    } else if peer.notice != nil {
      standing = .oneWay
      remedy = peer.findings.last?.remedy
    } else if peer.documents.contains(where: { $0.arriving != nil }) {
      standing = .arriving
    } else if lacking > 0, lagMilliseconds >= GroupContents.slowMilliseconds {
      standing = .slow
      remedy =
        "It loses nothing: it asks for what it lacks when it reads again. If this lasts, look whether its process is busy, "
        + "stopped or short of memory (starling doctor), or whether the network between is slow."
    } else if lacking > 0, lagMilliseconds >= GroupContents.behindMilliseconds {
      standing = .behind
    }
  }

  fileprivate var json: JSONValue {
    let shown = peer.documents.prefix(20)
    var json: JSONValue = [
      "store": .string(peer.store.description), "agent": .string(peer.agent.printable(byteCountMax: 100)),
      "relays": .bool(peer.isRelay), "durable": .bool(peer.isDurable), "dialled": .bool(peer.isDialled),
      "standing": .string(standing.rawValue), "lacking": .unsigned(lacking), "lag": .unsigned(lagMilliseconds),
      "documentCount": .integer(Int64(peer.documents.count)),
      "documents": .array(
        shown.map { document in
          var row: JSONValue = [
            "name": .string(document.id.name), "operations": .unsigned(document.operationCount),
            "writers": .integer(Int64(document.writerCount)),
          ]
          if let arriving = document.arriving {
            row["arriving"] = ["bytes": .unsigned(arriving.byteCount), "of": .unsigned(arriving.wholeByteCount)]
          }
          return row
        }),
    ]
    if let endpoint = peer.endpoint { json["endpoint"] = .string(endpoint) }
    if let notice = peer.notice { json["notice"] = .string(notice.printable(byteCountMax: 300)) }
    if let remedy { json["remedy"] = .string(remedy) }
    return json
  }
}

extension GroupContents {
  var json: JSONValue {
    var json: JSONValue = [
      "group": .string(group), "store": .string(status.store.description), "writer": .string(writer.description),
      "durable": .bool(status.isDurable), "endpoints": .array(status.endpoints.map { .string($0) }),
      "unreachable": .integer(Int64(endpointsUnreachable)),
      "members": .array(members.map(\.json)), "memberCount": .integer(Int64(status.peers.members.count)),
      "documentCount": .integer(Int64(documents.count)),
      "documents": .array(documents.prefix(Self.documentCountMax).map(document)),
      "incidents": .array(incidents.map(\.json)),
    ]
    if let error = status.logError {
      json["logError"] = .string("\(error)")
      json["logRetried"] = .bool(status.isLogRetried)
    }
    if !status.oneWayLinks.isEmpty {
      json["oneWayLinks"] = .array(
        status.oneWayLinks.prefix(20).map { .string("\($0)".printable(byteCountMax: 300)) })
    }
    if let daemons = status.daemons {
      json["daemons"] = [
        "upper": .bool(daemons.isUpper), "here": .integer(Int64(daemons.hereCount)),
        "gone": .integer(Int64(daemons.goneCount)),
      ]
    }
    if !status.quarantined.isEmpty {
      let damaged = status.quarantined.sorted { $0.key.name < $1.key.name }.prefix(50)
      json["damaged"] = .array(
        damaged.map { ["name": .string($0.key.name), "what": .string("\($0.value)")] })
    }
    return json
  }

  private func document(_ document: DocumentMeasurements) -> JSONValue {
    [
      "name": .string(document.id.name), "operations": .unsigned(document.operations),
      "writers": .integer(Int64(document.writers)), "conflicts": .integer(Int64(document.conflicts)),
      "members": .integer(Int64(document.members)), "unlogged": .unsigned(document.operationsUnlogged),
      "unacknowledged": .unsigned(document.operationsUnacknowledged),
      "bytes": .integer(Int64(document.snapshotBytes + document.recordBytes)),
    ]
  }
}
