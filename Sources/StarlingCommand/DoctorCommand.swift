import ArgumentParser
import Foundation
import Logging
import Starling
import StarlingReplica

extension StarlingCommand {
  struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Find what is wrong with a group, and what to do about it.",
      discussion: """
        It looks at the directory of sockets and the keys, joins the group, talks to every member that it reaches, and \
        compares what they hold. It changes nothing, except that it removes the sockets of processes that have ended, \
        as every process does that joins.

        Status: 0 nothing is wrong; 1 something is.
        """)

    @OptionGroup var membership: Membership
    @Flag(help: "One JSON object.") var json = false

    func run() async throws {
      var report = DoctorReport()
      if let keys = membership.keys { report.look(at: KeyDirectory(absolutePath(keys))) }
      if membership.connect.isEmpty { report.lookAtSockets(of: membership) }
      // What stands in the way of joining has been said then, and more cannot be found out.
      await join(&report)
      put(json ? report.json.description : report.lines)
      if !report.findings.isEmpty { throw ExitCode.failure }
    }

    private func join(_ report: inout DoctorReport) async {
      let (events, continuation) = AsyncStream.makeStream(of: EngineEvent.self, bufferingPolicy: .bufferingOldest(1000))
      var options = membership.options
      options.logger.logLevel = .critical
      options.onEvent = { continuation.yield($0) }
      do {
        let replica = try await Replica.open(membership.group, options: options)
        try? await membership.meetAll(replica)
        let isCaughtUp = await replica.synchronize(timeout: membership.patience)
        await report.look(at: replica, dialling: membership.connect, isCaughtUp: isCaughtUp, membership.timeout)
        try? await replica.close()
      } catch {
        report.find("joining", "\(error)", "Do what it says, and run the doctor again.")
      }
      continuation.finish()
      for await event in events { report.look(at: event) }
    }
  }
}

/// What was looked at, and what of it is wrong.
struct DoctorReport {
  private(set) var findings: [Finding] = []
  private(set) var wells: [String] = []

  mutating func find(_ subject: String, _ what: String, _ remedy: String) {
    add(Finding(subject, what, remedy))
  }

  private mutating func add(_ finding: Finding) {
    if !findings.contains(finding) { findings.append(finding) }
  }

  /// Says that all is well where nothing was found since there were `count` findings.
  private mutating func well(since count: Int, _ what: String) {
    if findings.count == count { wells.append(what) }
  }

  var lines: String {
    let bad = findings.map { "wrong  \($0.subject): \($0.what)\n       → \($0.remedy)" }
    let end = findings.isEmpty ? "Nothing is wrong." : "\(counted(findings.count, "thing")) to mend."
    return (wells.map { "ok     \($0)" } + bad + [end]).joined(separator: "\n")
  }

  var json: JSONValue {
    [
      "findings": .array(
        findings.map {
          ["subject": .string($0.subject), "what": .string($0.what), "remedy": .string($0.remedy)]
        }), "well": .array(wells.map { .string($0) }),
    ]
  }

  // MARK: Files

  mutating func look(at directory: KeyDirectory) {
    let count = findings.count
    let subject = "the keys in '\(directory.path)'"
    do {
      _ = try directory.keys()
    } catch {
      find(subject, "\(error)", "Do what it says: no daemon beyond this machine lets this one in until then.")
    }
    let mode = (try? FileManager.default.attributesOfItem(atPath: directory.path))?[.posixPermissions] as? Int
    if let mode, mode & 0o022 != 0 {
      find(
        subject, "others may put files there (mode \(String(mode, radix: 8))), and so let keys in.",
        "chmod 700 '\(directory.path)'")
    }
    do {
      let (keys, errors) = try directory.allowed()
      for error in errors { find(subject, "\(error) It lets nobody in.", "Mend the file, or remove it.") }
      for key in keys {
        if let reason = key.suspended {
          find(
            subject, "the key of '\(key.name)' is suspended: \(reason).",
            "Find out who has that key. Give its owner a new one (starling keys new), and let that in: starling keys "
              + "authorize KEY --name \(key.name) --role \(key.role.rawValue) --directory '\(directory.path)'")
        }
        guard let expires = key.expires, expires <= Date() else { continue }
        find(
          subject, "the key of '\(key.name)' expired at \(expires.formatted(.iso8601)).",
          "starling keys authorize \(key.key) --name \(key.name) --role \(key.role.rawValue) --directory "
            + "'\(directory.path)', or starling keys revoke \(key.name) --directory '\(directory.path)'")
      }
    } catch {
      find(subject, "\(error)", "Make the directory readable for the user that runs the replica.")
    }
    well(since: count, "\(subject) are readable, closed to others, and none has expired")
  }

  mutating func lookAtSockets(of membership: Membership) {
    let count = findings.count
    let directory: IPCDirectory
    do {
      directory = try membership.options.sockets(of: membership.group)
    } catch {
      find("the directory of sockets", "\(error)", "Do what it says: no process of the group finds another until then.")
      return
    }
    let stale = directory.stale()
    for name in stale {
      find(
        "the sockets in '\(directory.path)'",
        "nobody listens at those of '\(name)': its process is gone and did not stop cleanly.",
        DaemonName(name) != nil
          ? "Start the daemon again, and look at its log for why it ended. Joining has removed the sockets."
          : "Joining has removed them. If it was a program of yours, look for why it ended.")
    }
    lookElsewhere(than: directory)
    let owners = directory.sharedWith.map { "shared with the Unix group '\($0.name)' alone" } ?? "this user's alone"
    well(
      since: count,
      "the directory of sockets '\(directory.path)' is \(owners), and every process that has a socket there listens")
  }

  /// Says where daemons of the same group serve that no process of this directory meets. Those of other users count only
  /// where there is no daemon here.
  private mutating func lookElsewhere(than directory: IPCDirectory) {
    let whole = DaemonName(.whole).description
    let daemons = ((try? directory.list()) ?? []).filter { DaemonName($0) != nil }
    let hasDaemon = daemons.contains { directory.hasDaemon(named: $0) }
    let parent = (directory.path as NSString).deletingLastPathComponent
    let group = (directory.path as NSString).lastPathComponent
    let named = Membership.socketsOfEnvironment.map { [$0] } ?? []
    for other in directory.daemonsElsewhere(named: whole, lookingIn: named) where other.isOwn || !hasDaemon {
      let owner = other.isOwn ? "" : ", of user \(other.user),"
      let what =
        other.isOpen
        ? "a daemon of '\(group)' serves in '\(other.parent)'\(owner) and this command looks in '\(parent)': processes of "
          + "the two directories never meet."
        : "'\(other.parent)'\(owner) has a directory of '\(group)' too, which this user may not enter, and this command looks "
          + "in '\(parent)': if a daemon serves there, the processes of the two directories never meet."
      let remedy =
        other.isOwn
        ? "Give all of them one directory: --sockets '\(other.parent)' or STARLING_SOCKETS for commands and daemons, "
          + "Options.socketDirectory for programs."
        : "A directory of sockets is for one user, or for a Unix group that all name (--sockets DIR --socket-group GROUP). "
          + "Do so, run this as user \(other.user) (sudo -u '#\(other.user)'), or let that daemon listen on loopback with keys "
          + "(starlingd --listen tcp://127.0.0.1:7400 --keys DIR) and dial it with --connect and --keys."
      find("the directory of sockets", what, remedy)
    }
  }

  // MARK: Members

  mutating func look(at replica: Replica, dialling endpoints: [String], isCaughtUp: Bool, _ timeout: Double) async {
    let members = await replica.members()
    let reached = Set(await replica.status().peers.compactMap(\.endpoint))
    for endpoint in endpoints where !reached.contains(endpoint) {
      find(
        endpoint, "nobody answered there within \(timeout) seconds.",
        "Is a daemon running there, and listening at that port (starlingd --listen)? Does a firewall let it through? Where "
          + "it has keys, the endpoint names its key: tcp://KEY@host:port.")
    }
    if members.isEmpty, endpoints.isEmpty {
      find(
        "the group '\(replica.group)'", "nobody else is in it on this machine.",
        "Start a process of the group, as the same user; or a daemon: starlingd --group \(replica.group) --directory DIR; "
          + "or name one elsewhere with --connect.")
    }
    if !members.isEmpty, !isCaughtUp {
      let arriving = await replica.progress()?.arriving.map { " \($0.words) have come here by then." }
      find(
        "the group '\(replica.group)'", "not every member answered within \(timeout) seconds.\(arriving ?? "")",
        "Give it more with --timeout; then look which process does not respond: starling peers \(replica.group)")
    }
    for member in members {
      let count = findings.count
      for finding in member.findings { add(finding) }
      if let version = member.agent.starlingVersion, version != StarlingCommand.version.starlingVersion {
        find(
          "\(member.agent), store \(member.store)", "it is of another version than this command.",
          "Where something is odd, run one version everywhere.")
      }
      well(since: count, "\(member.agent), store \(member.store), answers")
      for document in member.documents {
        guard let arriving = document.arriving else { continue }
        wells.append("\(member.agent), store \(member.store), is being sent '\(document.id)': \(arriving.words)")
      }
    }
    for document in members.knownDocuments {
      guard let (one, other) = document.divergence else { continue }
      add(
        .diverged(
          "'\(document.id)'", "\(one.agent), store \(one.store), and \(other.agent), store \(other.store)"))
    }
    await lookAtClocks(of: replica)
  }

  /// The greatest step that a clock follows by itself.
  private static let skewMax: UInt64 = 60_000

  private mutating func lookAtClocks(of replica: Replica) async {
    guard let page = try? await replica.historyPage(), !page.changes.isEmpty else { return }
    let count = findings.count
    let now = UInt64(max(0, Date().timeIntervalSince1970 * 1000))
    for change in page.changes where change.milliseconds > now &+ Self.skewMax {
      find(
        "a clock",
        "replica \(change.writer) wrote at \(moment(milliseconds: change.milliseconds)), which is still to come here.",
        "Set the clocks of both machines by NTP: until then, what that one writes wins over what others write.")
    }
    well(since: count, "no writer's clock is ahead of this one, as far as the last changes show")
  }

  mutating func look(at event: EngineEvent) {
    if let finding = event.finding(by: "this command") { add(finding) }
  }
}

extension String {
  /// Of a program of this package, which says its version after its name; nil for those of others, whose versions are
  /// their own.
  fileprivate var starlingVersion: Substring? {
    let words = split(separator: " ")
    return words.count == 2 && ["starling", "starlingd"].contains(words[0]) ? words[1] : nil
  }
}
