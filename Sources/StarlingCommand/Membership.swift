import ArgumentParser
import Foundation
import Logging
import Starling
import StarlingTerminal

/// How a group is reached; the same for every command.
struct Membership: ParsableArguments {
  @Argument(
    help: "The group's name.",
    completion: .custom { _, _, prefix in Membership.groups().filter { $0.hasPrefix(prefix) } })
  var group: String

  @Option(
    help: """
      The directory of sockets in which processes find each other (default: $STARLING_SOCKETS, or this user's runtime \
      directory).
      """)
  var sockets: String?

  @Option(
    help: "The Unix group that shares the directory of sockets (default: $STARLING_SOCKET_GROUP, or this user alone).")
  var socketGroup: String?

  @Option(
    help: "Dial the daemon at this endpoint, as tcp://127.0.0.1:7400 or tcp://KEY@HOST:7400, instead. May be repeated.")
  var connect: [String] = []

  @Option(help: "The directory of keys to dial with, if the daemon asks for a key (starling keys).")
  var keys: String?

  @Option(help: "How many seconds to wait for other members.")
  var timeout = 5.0

  /// What the environment says in place of `--sockets`, to this command as to `starlingd`.
  static var socketsOfEnvironment: String? { environment("STARLING_SOCKETS") }

  private static func environment(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  mutating func validate() throws {
    sockets = sockets ?? Self.socketsOfEnvironment
    socketGroup = socketGroup ?? Self.environment("STARLING_SOCKET_GROUP")
    guard timeout >= 0, timeout <= 86_400 else {
      throw ValidationError("--timeout is a number of seconds from 0 to 86400; \(timeout) is none.")
    }
  }

  var options: Replica.Options {
    var options = Replica.Options()
    options.agent = StarlingCommand.version
    options.socketDirectory = sockets
    options.socketGroup = socketGroup
    options.connect = connect
    options.keys = keys.map { KeyDirectory(absolutePath($0)) }
    options.joinsThisMachine = connect.isEmpty
    options.leasesReplicaID = false
    options.logger.logLevel = .error
    return options
  }

  var patience: Duration { .seconds(timeout) }

  /// The groups that have a directory of sockets on this machine, for a shell to complete.
  private static func groups() -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: socketsOfEnvironment ?? IPCDirectory.defaultParent)
    return (names ?? []).filter(IPCDirectory.isName).sorted()
  }

  /// Joins, catches up, hands the replica to `body`, and leaves. What goes wrong is said in words.
  ///
  /// - Parameter isUrgent: whether `body` is run although a member did not answer in time; the command's status is 2
  ///   then.
  /// - Parameter meetsAll: whether to talk to all processes of this machine, not to the daemon alone.
  /// - Parameter expectsMembers: whether there is nothing to do alone. A daemon that has just been started appears once
  ///   it has read its log; until then an empty document would be no answer.
  func join(
    document: String? = nil, in directory: String? = nil, isUrgent: Bool = true, meetsAll: Bool = false,
    expectsMembers: Bool = false,
    _ configure: (inout Replica.Options) -> Void = { _ in }, _ body: (Joined) async throws -> Void
  ) async throws {
    try await sayingWhatFails {
      var options = options
      // What is written is of one writer with others that come and go.
      options.leasesReplicaID = !isUrgent
      configure(&options)
      let id = try document.map(Self.documentID)
      let display = ProgressDisplay("Joining '\(group)'")
      defer { display.end() }
      let replica = try await Replica.open(group, in: directory.map(absolutePath), options: options)
      do {
        let joined = try await Joined(replica, document: id)
        if meetsAll { try await meetAll(replica) }
        if expectsMembers { try await waitForMembers(replica, isUrgent: isUrgent) }
        // Of several daemons that are named, one may be away; whoever reads wants to know what all of them have.
        let goal: SynchronizeGoal = !isUrgent && connect.count > 1 ? .anyPeer : .everyPeer
        let following = Task {
          for await progress in await replica.progressNotices(of: joined.document.id) { display.show(progress) }
        }
        defer { following.cancel() }
        let isCaughtUp = await replica.engine.synchronize(joined.document.id, with: goal, timeout: patience)
        following.cancel()
        display.end()
        if !isCaughtUp, !isUrgent {
          throw Failure(
            "A member did not answer within \(timeout) seconds, so nothing was written. Try 'starling doctor'.")
        }
        try await body(joined)
        try await replica.close()
        if !isCaughtUp {
          say("a member did not answer within \(timeout) seconds; this may not be all.")
          throw ExitCode(2)
        }
      } catch {
        try? await replica.close()
        throw error
      }
    }
  }

  private static let membersLookedFor: Duration = .milliseconds(20)

  private func waitForMembers(_ replica: Replica, isUrgent: Bool) async throws {
    let deadline = ContinuousClock.now + patience
    // Another command that waits like this one has nothing to tell.
    while await !replica.status().peers.contains(where: {
      $0.agent != StarlingCommand.version || $0.documents.contains { $0.operationCount > 0 }
    }) {
      guard ContinuousClock.now < deadline else {
        // A command that writes says so itself.
        guard isUrgent else { return }
        throw Failure(
          "Nobody else is in '\(group)' after \(timeout) seconds, so there is nobody to ask. A daemon that has just been "
            + "started may still be reading its log: give it more with --timeout. Otherwise start a process of the group, "
            + "or name a daemon with --connect.")
      }
      try await Task.sleep(for: Self.membersLookedFor)
    }
  }

  /// Dials every process that has a socket in the directory.
  func meetAll(_ replica: Replica) async throws {
    guard connect.isEmpty else { return }
    let directory = try options.sockets(of: group)
    for name in try directory.list() { try await replica.engine.connect(to: directory.endpoint(for: name)) }
  }

  private static func documentID(_ name: String) throws -> DocumentID {
    guard let id = DocumentID(name) else {
      throw ValidationError("A document's name has 1 to 200 bytes; '\(name)' has \(name.utf8.count).")
    }
    return id
  }
}

extension ProgressDisplay {
  /// A state that arrives is merged when all of it is here, so its bytes say more than operations.
  fileprivate func show(_ progress: DocumentProgress) {
    if let arriving = progress.arriving {
      show(ProgressLine.Count(arriving.byteCount, of: arriving.wholeByteCount, "bytes"))
    } else {
      show(ProgressLine.Count(progress.operationCount, of: progress.knownOperationCount, "operations"))
    }
  }
}

/// A group, joined, and the document in question.
struct Joined {
  let replica: Replica
  let document: JSONDocument

  init(_ replica: Replica, document: DocumentID?) async throws {
    self.replica = replica
    self.document = if let document { try await replica.json(of: document) } else { replica.json }
  }
}

/// Another document than the main one.
struct DocumentOption: ParsableArguments {
  @Option(name: .customLong("document"), help: "The document (default: the group's main document).")
  var name: String?
}

struct PathArgument: ExpressibleByArgument {
  var path: DocumentPath

  init?(argument: String) {
    guard let path = DocumentPath(argument) else { return nil }
    self.path = path
  }

  init(_ path: DocumentPath) {
    self.path = path
  }

  var defaultValueDescription: String { path.parts.isEmpty ? "all" : path.description }
}
