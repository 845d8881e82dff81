import StarlingCore
import StarlingEngine
import StarlingReplica
import StarlingSession

/// What went wrong lately, each thing once, with what to do about it.
struct IncidentTable: Sendable {
  struct Incident: Hashable, Sendable {
    var finding: Finding
    /// When it was last seen, in milliseconds since 1970-01-01 UTC, and how often.
    var milliseconds: UInt64
    var count: Int
  }

  /// The latest last.
  private(set) var incidents: [Incident] = []
  /// Stores with which a document has diverged.
  private(set) var diverged: [StoreID: Set<DocumentID>] = [:]
  /// Counts what was noted, so that a reader can tell whether anything was.
  private(set) var serial = 0

  private static let countMax = 50

  mutating func note(_ event: EngineEvent, at milliseconds: UInt64) {
    switch event {
    case .diverged(let document, let store): diverged[store, default: []].insert(document)
    case .settled(let document, let store, _): diverged[store]?.remove(document)
    case .joined(let store, _), .left(let store): diverged[store] = nil
    case .logRecovered:
      incidents.removeAll { $0.finding.what.contains("the log failed") }
      serial += 1
    default: break
    }
    if let finding = Self.finding(event) { note(finding, at: milliseconds) }
  }

  mutating func note(_ finding: Finding, at milliseconds: UInt64) {
    serial += 1
    var incident = Incident(finding: finding, milliseconds: milliseconds, count: 1)
    if let place = incidents.firstIndex(where: { $0.finding == finding }) {
      incident.count += incidents.remove(at: place).count
    }
    incidents.append(incident)
    if incidents.count > Self.countMax { incidents.removeFirst() }
  }

  /// The operator has read it.
  mutating func dismiss() {
    incidents = []
    serial += 1
  }

  private static func finding(_ event: EngineEvent) -> Finding? {
    guard case .access(let access) = event else { return event.finding(by: "this daemon") }
    guard !access.kind.isGrant, access.kind != .unfinished else { return nil }
    let who = access.name.map { "'\($0)'" } ?? access.user.map { "the key \($0)" } ?? "a peer"
    let remedy =
      switch access.kind {
      case .notAdmitted, .unproved, .untrusted:
        "If it belongs here, let its key in: starling keys authorize KEY --name NAME --directory DIR."
      case .readRefused, .writeRefused, .stateRefused:
        "If it may do that, widen its role or its documents: starling keys authorize, with the same name."
      case .overBudget, .excess: "If that much is expected of it, raise the budget (starlingd --help)."
      default: "Find out who has that key; revoke it if nobody knows: starling keys revoke NAME --directory DIR."
      }
    return Finding(
      who + (access.address.map { " at \($0)" } ?? ""), "\(access.explanation)".printable(byteCountMax: 400), remedy)
  }
}

extension IncidentTable.Incident {
  var json: JSONValue {
    [
      "subject": .string(finding.subject), "what": .string(finding.what), "remedy": .string(finding.remedy),
      "at": .unsigned(milliseconds), "count": .integer(Int64(count)),
    ]
  }
}
