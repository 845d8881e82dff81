import ArgumentParser
import Foundation
import Logging
import Starling

/// The operator's view of a group.
@main
struct StarlingCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "starling",
    abstract: "Looks into a group: who is there, and what they hold.",
    discussion: "To look, it joins the group for a moment as a member in memory, and changes nothing.",
    version: "starling 0.1.0",
    subcommands: [Status.self, Dump.self, Keys.self])
}

/// How a group is reached; the same for every command.
struct Membership: ParsableArguments {
  @Argument(help: "The group's name.")
  var group: String

  @Option(help: "The directory of sockets in which processes find each other (default: this user's runtime directory).")
  var sockets: String?

  @Option(
    help: "Dial the daemon at this endpoint, as tcp://127.0.0.1:7400 or tcp://KEY@HOST:7400, instead. May be repeated.")
  var connect: [String] = []

  @Option(help: "The directory of keys to dial with, where the daemon wants some (starling keys).")
  var keys: String?

  /// Joins, catches up, and hands the replica to `body`.
  func join(_ body: (Replica) async throws -> Void) async throws {
    var options = Replica.Options()
    options.agent = "starling 0.1.0"
    options.socketDirectory = sockets
    options.connect = connect
    options.keys = keys.map { KeyDirectory(($0 as NSString).expandingTildeInPath) }
    options.joinsThisMachine = connect.isEmpty
    options.logger.logLevel = .error
    let replica: Replica
    do {
      replica = try await Replica.open(group, options: options)
    } catch {
      // A person's mistake, said in words; no trace.
      FileHandle.standardError.write(Data("starling: \(error)\n".utf8))
      throw ExitCode.failure
    }
    let isCaughtUp = await replica.synchronize()
    try await body(replica)
    try await replica.close()
    if !isCaughtUp {
      FileHandle.standardError.write(Data("starling: a member did not answer in time; this may not be all.\n".utf8))
      throw ExitCode(2)
    }
  }
}

extension StarlingCommand {
  struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Say who is in the group and where its document stands.")

    @OptionGroup var membership: Membership
    @Flag(help: "One JSON object.") var json = false

    private struct Report: Encodable {
      struct Peer: Encodable {
        var store: String
        var agent: String
        var isDurable: Bool
        var isRelay: Bool
      }

      var group: String
      var digest: String?
      var writers: Int
      var operations: UInt64
      var peers: [Peer]
    }

    func run() async throws {
      try await membership.join { replica in
        // A member that dials us too is one member.
        var peers: [String: Report.Peer] = [:]
        for peer in await replica.status().peers {
          peers[peer.store.description] = Report.Peer(
            store: peer.store.description, agent: peer.agent, isDurable: peer.isDurable, isRelay: peer.isRelay)
        }
        let report = Report(
          group: replica.group, digest: replica.digest?.description, writers: replica.version.entries.count,
          operations: replica.version.entries.reduce(0) { $0 + $1.counter },
          peers: peers.values.sorted { $0.store < $1.store })
        print(json ? try Self.encode(report) : Self.lines(of: report))
      }
    }

    private static func encode(_ report: Report) throws -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return String(decoding: try encoder.encode(report), as: UTF8.self)
    }

    private static func lines(of report: Report) -> String {
      let members = report.peers.map {
        "  \($0.store)  \($0.agent)\($0.isRelay ? ", relays" : "")\($0.isDurable ? ", durable" : ", in memory")"
      }
      return
        ([
          "'\(report.group)': \(report.operations) operations by \(report.writers) writers, digest \(report.digest ?? "-")",
          members.isEmpty ? "Nobody else is here." : "Members:",
        ] + members).joined(separator: "\n")
    }
  }

  struct Dump: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print what the group's document holds, as JSON.")

    @OptionGroup var membership: Membership

    func run() async throws {
      try await membership.join { print(try $0.dump()) }
    }
  }
}
