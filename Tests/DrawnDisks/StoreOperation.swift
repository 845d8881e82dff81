import StarlingCore
import StarlingEngine
import StarlingTestSupport

private let library = DocumentID("library")!
private let garden = DocumentID("garden")!
private let bob = ReplicaID(rawValue: 2)
private let carl = ReplicaID(rawValue: 3)

/// One call that changes a store.
enum StoreOperation {
  case append([LogRecord])
  case compact(DocumentID, StoredSnapshot, keeping: [ReplicaID: UInt64], appending: [LogRecord])
  case checkpoint(DocumentID, StoredSnapshot)
  case members(DocumentID, [LogMember])
  case leases(DocumentID, [LogLease])
  case starts([StoredGenerations.Other])
  case retract(DocumentID, ReplicaID, beyond: UInt64)
  case forget(DocumentID)

  /// For people.
  var name: String {
    switch self {
    case .append(let records): "append \(records.map { "\($0.document) \($0.replica):\($0.lastCounter)" })"
    case .compact(let document, let snapshot, let kept, _): "compact \(document) at \(snapshot.version) keeping \(kept)"
    case .checkpoint(let document, let state): "checkpoint \(document) at \(state.version)"
    case .members(let document, let members): "\(members.count) members of \(document)"
    case .leases(let document, let leases): "\(leases.count) leases of \(document)"
    case .starts(let starts): "\(starts.count) starts"
    case .retract(let document, let replica, let counter): "retract \(document) \(replica) beyond \(counter)"
    case .forget(let document): "forget \(document)"
    }
  }

  /// What it stores of what writers wrote.
  var records: [LogRecord] {
    switch self {
    case .append(let records), .compact(_, _, _, let records): records
    default: []
    }
  }

  func perform(on log: some ChangeLog) async throws {
    switch self {
    case .append(let records): try await log.append(records)
    case .compact(let document, let snapshot, let kept, let records):
      try await log.compact(document, into: snapshot, keeping: kept, appending: records)
    case .checkpoint(let document, let state): try await log.checkpoint(document, at: state, recordByteCount: 100)
    case .members(let document, let members): try await log.remember(members, of: document)
    case .leases(let document, let leases): try await log.remember(leases: leases, of: document)
    case .starts(let starts): try await log.remember(StoredGenerations(own: 0, others: starts))
    case .retract(let document, let replica, let counter):
      try await log.retract(document, beyond: [replica: counter], appending: [])
    case .forget(let document): try await log.forget(document)
    }
  }
}

extension StoreContents {
  /// What the store holds after the call.
  func after(_ operation: StoreOperation) -> StoreContents {
    var next = self
    switch operation {
    case .append(let records):
      for record in records { next.documents[record.document, default: Stored()].records.append(record) }
    case .compact(let document, let snapshot, let kept, let records):
      var stored = next.documents[document] ?? Stored()
      stored.snapshot = snapshot
      stored.records.removeAll { $0.lastCounter <= min(snapshot.version[$0.replica], kept[$0.replica] ?? .max) }
      stored.records += records
      if let version = stored.checkpoint?.version, !version.covers(snapshot.version) || version == snapshot.version {
        stored.checkpoint = nil
      }
      next.documents[document] = stored
    case .checkpoint(let document, let state): next.documents[document]?.checkpoint = state
    case .members(let document, let members): next.documents[document, default: Stored()].members = members
    case .leases(let document, let leases): next.documents[document, default: Stored()].leases = leases
    case .starts(let starts): next.starts = starts
    case .retract(let document, let replica, let counter):
      next.documents[document]?.records.removeAll { $0.replica == replica && $0.lastCounter > counter }
      if let reached = next.documents[document]?.checkpoint?.version[replica], reached > counter {
        next.documents[document]?.checkpoint = nil
      }
    case .forget(let document):
      next.documents[document] = nil
      next.forgotten.insert(document)
    }
    return next
  }
}

/// Draws what a replica does to its store.
struct StoreOperations {
  /// Tells apart what was written under one dot in two lives of the store.
  var nextNumber = 0
  static let documents = [library, garden]

  mutating func draw(_ dice: inout Dice, _ contents: StoreContents, as replica: ReplicaID) -> StoreOperation? {
    let document = dice.pick(Self.documents.filter { !contents.forgotten.contains($0) })
    guard let stored = contents.documents[document], stored.head != VersionVector() else {
      return .append(records(&dice, contents, document, replica))
    }
    switch dice.roll(24) {
    case 0: return compaction(&dice, contents, stored, document, replica)
    case 1, 2:
      guard stored.head != stored.snapshot?.version else { return nil }
      return .checkpoint(document, state(&dice, at: stored.head))
    case 3:
      let members = (0..<dice.roll(3)).map { place in
        LogMember(store: StoreID(rawValue: UInt64(place + 1)), acknowledged: stored.head, heardAt: dice.next() >> 20)
      }
      return .members(document, members)
    case 4:
      let leases = (0..<dice.roll(3)).map { place in
        LogLease(
          replica: ReplicaID(rawValue: UInt64(100 + place)), number: UInt64(dice.roll(9) + 1),
          counter: UInt64(dice.roll(9)), holder: nil, user: nil)
      }
      return .leases(document, leases)
    case 5:
      let starts = (0..<dice.roll(3)).map { place in
        StoredGenerations.Other(
          store: StoreID(rawValue: UInt64(place + 1)), name: "", generation: UInt64(dice.roll(9) + 1), epoch: 1)
      }
      return .starts(starts)
    case 6:
      let last = stored.records.last { $0.replica == bob }
      guard let last, last.firstCounter > stored.snapshot?.version[bob] ?? 0 else { return nil }
      return .retract(document, bob, beyond: last.firstCounter - 1)
    case 7 where document == garden && dice.oneIn(3): return .forget(document)
    default: return .append(records(&dice, contents, document, replica))
    }
  }

  private mutating func compaction(
    _ dice: inout Dice, _ contents: StoreContents, _ stored: StoreContents.Stored, _ document: DocumentID,
    _ replica: ReplicaID
  ) -> StoreOperation {
    let kept: [ReplicaID: UInt64] = dice.oneIn(3) ? [replica: stored.head[replica] / 2] : [:]
    var version = stored.head
    if dice.oneIn(3), let record = stored.records.first,
      record.lastCounter >= stored.snapshot?.version[record.replica] ?? 0
    {
      version = stored.snapshot?.version ?? VersionVector()
      version[record.replica] = record.lastCounter
    }
    return .compact(document, state(&dice, at: version), keeping: kept, appending: [])
  }

  private func state(_ dice: inout Dice, at version: VersionVector) -> StoredSnapshot {
    var state = StoredSnapshot(version: version, bytes: Array("state at \(version)".utf8))
    state.bytes += [UInt8](repeating: 0x2E, count: dice.oneIn(4) ? dice.roll(30_000) : dice.roll(200))
    return state
  }

  /// One group commit: what the replica wrote, and what others did.
  private mutating func records(
    _ dice: inout Dice, _ contents: StoreContents, _ document: DocumentID, _ replica: ReplicaID
  ) -> [LogRecord] {
    var head = contents.documents[document]?.head ?? VersionVector()
    return (0...dice.roll(4)).map { _ in
      let writer = dice.oneIn(3) ? dice.pick([bob, carl]) : replica
      let first = head[writer] + 1
      head[writer] = first + UInt64(dice.roll(3))
      nextNumber += 1
      // What others wrote is the same whenever it comes.
      let text = writer == replica ? "\(document) \(writer) \(first) #\(nextNumber)" : "\(document) \(writer) \(first)"
      let padding = dice.oneIn(5) ? dice.roll(6000) : dice.roll(60)
      return LogRecord(
        document: document, replica: writer, firstCounter: first, lastCounter: head[writer],
        bytes: Array(text.utf8) + [UInt8](repeating: 0x2E, count: padding))
    }
  }
}
