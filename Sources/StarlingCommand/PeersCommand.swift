import ArgumentParser
import Foundation
import Starling

extension StarlingCommand {
  struct Peers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show who is in the group, at which endpoint, and with which documents.",
      discussion: "It talks to every process of the group on this machine, also where a daemon serves them.")

    @OptionGroup var membership: Membership
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
      try await membership.join(meetsAll: true) { joined in
        let mark = PeerDocument.mark(of: joined.document.version)
        let members = await joined.replica.members()
        for member in members {
          put(json ? member.json.description : member.lines(main: joined.document.id, mark: mark))
        }
        if members.isEmpty { say("nobody else is in '\(membership.group)'.") }
      }
    }
  }

  struct Documents: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the members' documents, and whether they hold the same.",
      discussion: "A member names the documents that it has open; a daemon has all of its documents open.")

    @OptionGroup var membership: Membership
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
      try await membership.join(meetsAll: true) { joined in
        let documents = await joined.replica.members().knownDocuments
        for document in documents { put(json ? document.json.description : document.line) }
        if documents.isEmpty { say("nobody tells of a document in '\(membership.group)'.") }
      }
    }
  }
}

extension Replica {
  /// A member that dials us too is one member.
  func members() async -> [EngineStatus.Peer] { await status().peers.members }
}

extension EngineStatus.Peer {
  /// What it is, for a line.
  var traits: String {
    let role = shard.isPart ? ", relays shard \(shard)" : isRelay ? ", relays" : ""
    return "\(agent)\(role)\(isDurable ? ", durable" : ", in memory")"
  }

  fileprivate func lines(main: DocumentID, mark: Int) -> String {
    let rows = documents.map { document in
      let isSame = document.id == main && document.versionMark == mark
      return "  \(document.id): \(document.standing)\(isSame ? ", as here" : "")"
    }
    return (["\(store)  \(traits), \(endpoint.map { "at \($0)" } ?? "dialled by itself")"] + rows)
      .joined(separator: "\n")
  }

  fileprivate var json: JSONValue {
    [
      "store": .string(store.description), "agent": .string(agent), "isDurable": .bool(isDurable),
      "isRelay": .bool(isRelay), "endpoint": endpoint.map { .string($0) } ?? nil,
      "documents": .array(
        documents.map {
          [
            "document": .string($0.id.name), "operations": .unsigned($0.operationCount),
            "writers": .integer(Int64($0.writerCount)), "digest": $0.digest.map { .string($0.description) } ?? nil,
            "arriving": $0.arriving?.json ?? nil,
          ]
        }),
    ]
  }
}

extension PeerDocument {
  fileprivate var standing: String {
    "\(counted(operationCount, "operation")) by \(counted(writerCount, "writer"))"
      + (arriving.map { ", and \($0.words) have come" } ?? "")
  }
}

extension DocumentProgress.Arrival {
  /// "12.3 of 48.0 MB of its state (25 %)"
  var words: String {
    func megabytes(_ byteCount: UInt64) -> String { String(format: "%.1f", Double(byteCount) / 1e6) }
    let percent = wholeByteCount == 0 ? 100 : Int(100 * Double(byteCount) / Double(wholeByteCount))
    return "\(megabytes(byteCount)) of \(megabytes(wholeByteCount)) MB of its state (\(percent) %)"
  }

  var json: JSONValue { ["bytes": .unsigned(byteCount), "of": .unsigned(wholeByteCount)] }
}

extension KnownDocument {
  private var agreement: String {
    if divergence != nil { return "DIVERGED: starling doctor says what to do" }
    return isAlike ? "all alike" : "not all have come as far"
  }

  var line: String {
    "\(id): \(counted(operationCount, "operation")), at \(counted(holders.count, "member")), \(agreement)"
  }

  var json: JSONValue {
    [
      "document": .string(id.name), "operations": .unsigned(operationCount), "isAlike": .bool(isAlike),
      "isDiverged": .bool(divergence != nil), "members": .array(holders.map { .string($0.member.store.description) }),
    ]
  }
}
