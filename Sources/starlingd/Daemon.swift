import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle
import StarlingConsole
import StarlingReplica
import UnixSignals

/// A durable peer that keeps a group's documents and relays between its processes.
@main
struct Daemon: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "starlingd",
    abstract: "Keeps a group's documents and relays between its processes.",
    discussion: """
      Processes on this machine that open the group find the daemon by themselves. Others dial an \
      endpoint given with --listen: a loopback address, or, with --keys, any address. With keys only \
      those are let in whose key is in the directory's allowlist (starling keys).

      Every option but --accept-damage can also come from the environment, as STARLING_GROUP or \
      STARLING_MAX_DOCUMENTS (lists separated by commas), and from a JSON file that --config names, as \
      {"group": "library", "listen": ["tcp://127.0.0.1:7400"]}. The command line takes precedence over \
      the environment, and that over the file.

      Daemons tell each other which daemons exist: one --connect is enough to find all of a group.

      On SIGUSR1 it prints one JSON object: its store and version, what it has done, and which \
      daemons it knows. On SIGHUP it takes the log's level from the file again.

      Stop it with SIGTERM or Ctrl-C: it saves, takes leave of its peers and exits with status 0. If the disk did not \
      accept everything, it prints what is missing and exits with status 1; so it does where it cannot start. Status 64 \
      says that the command line is wrong, 78 that the file or the environment is.
      """,
    version: "starlingd 0.2.0")

  @Option(
    help: ArgumentHelp(
      "Take what the command line and the environment do not say from this JSON file.", valueName: "file"))
  var config: String?

  @Option(help: "The group to serve.")
  var group: String?

  @Option(help: "Where the documents are kept. Made if it is missing.")
  var directory: String?

  @Option(
    help: ArgumentHelp(
      """
      Keep and relay one shard of the group's documents, chosen by their names: 2/4 is the second of four. Run a daemon \
      for each shard, each with its own --directory (default: all documents).
      """, valueName: "I/N"))
  var shard: String?

  @Option(help: "The directory of sockets in which processes find each other (default: this user's runtime directory).")
  var sockets: String?

  @Option(
    help: """
      The Unix group whose members may join through the directory of sockets (default: this user alone). They trust each \
      other as processes of one user do.
      """)
  var socketGroup: String?

  @Option(name: .customLong("listen"), help: "Accept peers at this endpoint, as tcp://127.0.0.1:7400. May be repeated.")
  var listen: [String] = []

  @Option(help: "The directory of this daemon's keys and of those it lets in (starling keys).")
  var keys: String?

  @Option(name: .customLong("connect"), help: "Dial the daemon at this endpoint. May be repeated.")
  var connect: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Join the group's daemons at other sites over a NATS cluster: one or more of its servers, separated by commas, as \
      nats://a:4222,nats://b:4222.
      """, valueName: "servers"))
  var cluster: String?

  @Option(help: ArgumentHelp("Show the cluster's servers this file of credentials (.creds).", valueName: "file"))
  var clusterCreds: String?

  @Option(
    help: ArgumentHelp("Show the cluster's servers the NKEY whose seed is in this file (.nk).", valueName: "file"))
  var clusterNkey: String?

  @Option(
    help: ArgumentHelp(
      "Talk TLS to the cluster's servers, and believe the authorities in this file (PEM) alone.", valueName: "file"))
  var clusterTlsCa: String?

  @Option(help: ArgumentHelp("Show the cluster's servers this certificate (PEM).", valueName: "file"))
  var clusterTlsCert: String?

  @Option(help: ArgumentHelp("The secret key (PEM) of --cluster-tls-cert.", valueName: "file"))
  var clusterTlsKey: String?

  @Option(
    help: ArgumentHelp(
      """
      Where the documents are kept: sqlite, in --directory, or jetstream, in a stream of the servers of --cluster, so that \
      the daemon continues at another site (default: sqlite).
      """, valueName: "sqlite|jetstream"))
  var log: String?

  @Option(
    help: ArgumentHelp(
      "The name of the log in the stream; each daemon has one of its own (default: the group's).", valueName: "name"))
  var logName: String?

  @Option(
    help: ArgumentHelp("On how many servers the stream is kept: 1, 3 or 5 (default: 3).", valueName: "count"))
  var logReplicas: Int?

  @Option(
    help: ArgumentHelp(
      "How many megabytes the stream may hold (default: as many as the servers have space for).",
      valueName: "megabytes"))
  var logMegabytes: Int?

  @Flag(
    help: """
      With --log jetstream: wait while another daemon holds the log, follow it, and take over when that daemon stops or is \
      silent for ten seconds.
      """)
  var standby = false

  @Option(
    help: ArgumentHelp(
      "Serve metrics over HTTP at this address, as 127.0.0.1:9464: /metrics for Prometheus, and /healthz.",
      valueName: "address"))
  var metrics: String?

  @Flag(help: "Let --metrics listen beyond loopback, where anybody may read the numbers.")
  var metricsBeyondLoopback = false

  @Option(
    help: ArgumentHelp(
      """
      Serve a page for operators at this loopback address, as 127.0.0.1:7480: members, documents, conflicts, history and \
      figures, live, and edits. Open the link that the daemon prints: it holds the token. From another machine: \
      ssh -L 7480:127.0.0.1:7480 HOST.
      """, valueName: "address"))
  var console: String?

  @Option(
    help: ArgumentHelp(
      "Append a line of JSON to this file for each peer that is let in or refused.", valueName: "file"))
  var audit: String?

  @Option(
    name: .customLong("advertise"),
    help: "Where other machines dial this daemon, if that is not where it listens. May be repeated.")
  var advertise: [String] = []

  @Option(
    help: "The tier of this daemon if there are so many that they form two: upper or lower (default: either).")
  var tier: String?

  @Flag(help: "Do not tell other daemons which daemons exist, and dial only --connect.")
  var noGossip = false

  @Option(help: "How much of the history is kept: everything, state, or a number of days (default: everything).")
  var history: String?

  @Option(
    help: ArgumentHelp(
      "How many documents peers may have opened here in all (default: 16384).", valueName: "count"))
  var maxDocuments: Int?

  @Option(
    help: ArgumentHelp(
      """
      Of more open documents than this, those that no peer uses are closed, and opened again when a peer speaks of them \
      (default: 10000).
      """, valueName: "count"))
  var maxOpenDocuments: Int?

  @Option(
    help: ArgumentHelp(
      """
      What to do when the disk is full or cannot be written for another reason that may pass: retry, and keep changes in \
      memory until then, or exit with status 1 (default: retry).
      """, valueName: "retry|exit"))
  var onLogFailure: String?

  @Flag(
    help: """
      Start with the intact records if acknowledged ones are missing, because the write-ahead log is damaged or cut or the \
      database is gone. The missing ones are fetched from the peers that have them.
      """)
  var acceptDamage = false
  @Option(
    help: ArgumentHelp(
      "How many documents one key may have opened here (default: 256).", valueName: "count"))
  var maxDocumentsPerKey: Int?

  @Option(
    help: ArgumentHelp(
      "How many new replica ids one key may use in a day (default: 1000).", valueName: "count"))
  var maxReplicaIdsPerKey: Int?

  @Option(
    help: ArgumentHelp(
      "How many megabytes of changes one key may have stored in a day (default: 8192).", valueName: "megabytes"))
  var maxMegabytesPerKey: Int?

  @Option(help: "trace, debug, info, notice, warning, error or critical (default: info).")
  var logLevel: String?

  @Option(help: "How the log is written: text, or json for one object a line (default: text).")
  var logFormat: String?

  @Flag(help: "Do not serve the processes on this machine through the directory of sockets.")
  var noSockets = false

  func run() async throws {
    // Nobody reads what it prints any more, or the terminal is closed: the daemon continues.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGHUP, SIG_IGN)
    // Trapped before all that takes time: what is asked before then is answered once the daemon serves, and ends nothing.
    let (asked, told) = (await UnixSignalsSequence(trapping: .sigusr1), await UnixSignalsSequence(trapping: .sighup))
    let settings: Settings
    do {
      settings = try Settings(file: config)
    } catch {
      try Self.fail("\(error)", .configuration)
    }
    let log = try log(settings)
    LoggingSystem.bootstrap { DaemonLog($0, log) }
    let logger = Logger(label: "starlingd")
    let group = try group(settings)
    var options = try options(settings, logger)
    let place = try logPlace(settings)
    let directory = try directory(settings, isNeeded: place == nil)
    let manager = ServiceManager()
    if var place {
      let waiting = Waiting(for: group, manager)
      place.onWaiting = { waiting.note($0) }
      options.log = .jetStream(place)
    }
    let failures = try LogFailures(
      onLogFailure ?? settings.text("on-log-failure"), endsWhereFinal: place != nil)
    failures.watch(&options)
    let metricsAddress = try address(ofMetrics: metrics ?? settings.text("metrics"), settings)
    let consoleAddress = try address(ofConsole: console ?? settings.text("console"))
    if consoleAddress != nil, directory == nil {
      throw ValidationError("The page's token is kept in a directory: name one with --directory.")
    }
    let events = ConsoleEvents()
    if consoleAddress != nil { events.watch(&options) }

    let numbers = try await metricsEndpoint(at: metricsAddress, log)
    let opened: BareReplica?
    do {
      opened = try await Waiting.open(group, in: directory, options, untilStopped: place?.isStandby == true)
    } catch {
      await numbers?.stop()
      // A person's mistake or a full disk, said in words; no trace.
      try Self.fail("\(error)", .failure, log)
    }
    guard let replica = opened else {
      await numbers?.stop()
      return logger.info("stopped while it stood by")
    }
    await numbers?.show(replica)
    let page = try await consoleServer(of: replica, at: consoleAddress, in: directory, events, log)
    let line =
      await Self.announcement(
        of: replica, options.shard, from: place.map { "stream STARLING_\($0.name ?? group)" } ?? directory ?? "")
      + (page.map { "; its page at \($0.link)" } ?? "")
      + (numbers.map { "; its numbers at \($0.url)" } ?? "")
    let endpoints: [any Service] = (numbers.map { [$0] } ?? []) + (page.map { [$0] } ?? [])
    let reloading = Reloading(signals: told, settings: settings, ownLevel: logLevel, log: log, logger: logger)
    let announcement = Announcement(line: line, manager: manager, replica: replica)
    let services =
      [replica, Standing(signals: asked, replica: replica, shard: options.shard), reloading] + endpoints
      + [failures, announcement]
    let run = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: services.map {
          ServiceGroupConfiguration.ServiceConfiguration(
            service: $0, failureTerminationBehavior: .gracefullyShutdownGroup)
        }, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await run.run())
    } catch {
      outcome = .failure(error)
    }
    let status = await replica.status()
    guard status.isSaved else { try Self.fail(status.unsavedExplanation, .failure, log) }
    try outcome.get()
    logger.info("saved and stopped")
  }

  private func log(_ settings: Settings) throws(ValidationError) -> DaemonLog.Shared {
    let name = logFormat ?? settings.text("log-format") ?? DaemonLog.Format.text.rawValue
    guard let format = DaemonLog.Format(rawValue: name) else {
      throw ValidationError("'\(name)' is no format of the log. Choose text or json.")
    }
    return DaemonLog.Shared(format, at: try Logger.Level(named: logLevel ?? settings.text("log-level")))
  }

  /// Says why the daemon ends, and ends it.
  static func fail(_ reason: String, _ status: ExitCode, _ log: DaemonLog.Shared? = nil) throws -> Never {
    let line =
      log?.format == .json
      ? DaemonLog.line(.critical, reason, of: "starlingd", from: "starlingd") : "starlingd: \(reason)"
    Output.write(line, to: .standardError)
    throw status
  }

  private func address(ofConsole text: String?) throws -> ListenAddress? {
    guard let text else { return nil }
    guard let address = ListenAddress(text) else {
      throw ValidationError("'\(text)' is no address for --console. Write it as 127.0.0.1:7480.")
    }
    guard address.isLoopback else {
      throw ValidationError(
        "The console listens on this machine alone, and '\(text)' is no loopback address. Write 127.0.0.1:\(address.port); "
          + "from elsewhere forward the port: ssh -L \(address.port):127.0.0.1:\(address.port) HOST.")
    }
    return address
  }

  private func consoleServer(
    of replica: BareReplica, at address: ListenAddress?, in directory: String?, _ events: ConsoleEvents,
    _ log: DaemonLog.Shared
  ) async throws -> ConsoleServer? {
    guard let address, let directory else { return nil }
    do {
      return try await ConsoleServer(of: replica, at: address, token: .kept(in: directory), events: events)
    } catch {
      try? await replica.close()
      let what = (error as? ConsoleError)?.description ?? error.localizedDescription
      try Self.fail("The page cannot be served at \(address): \(what)", .failure, log)
    }
  }

  private func address(ofMetrics text: String?, _ settings: Settings) throws -> ListenAddress? {
    guard let text else { return nil }
    guard let address = ListenAddress(text) else {
      throw ValidationError("'\(text)' is no address for --metrics. Write it as 127.0.0.1:9464.")
    }
    guard address.isLoopback || metricsBeyondLoopback || settings.flag("metrics-beyond-loopback") else {
      throw ValidationError(
        "At '\(text)' anybody who reaches this machine may read the numbers. Choose a loopback address, or add "
          + "--metrics-beyond-loopback.")
    }
    return address
  }

  private func metricsEndpoint(at address: ListenAddress?, _ log: DaemonLog.Shared) async throws -> MetricsEndpoint? {
    guard let address else { return nil }
    do {
      return try await MetricsEndpoint(at: address)
    } catch {
      try Self.fail("The numbers cannot be shown at \(address): \(error.localizedDescription)", .failure, log)
    }
  }

  /// With the endpoints that others dial, which name the key.
  private static func announcement(
    of replica: BareReplica, _ shard: DocumentShard, from directory: String
  ) async -> String {
    let endpoints = await replica.status().endpoints.filter { $0.hasPrefix("tcp:") }
    let part = shard.isPart ? "shard \(shard) of " : ""
    return "starlingd serves \(part)'\(replica.group)' from \(directory)"
      + (endpoints.isEmpty ? "" : ", and at \(endpoints.joined(separator: " "))")
  }
}

extension ExitCode {
  /// The file or the environment says something that cannot be (EX_CONFIG of sysexits.h).
  fileprivate static let configuration = ExitCode(78)
}
