import ArgumentParser
import Configuration
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
    abstract: "Keeps a group's documents on disk and relays between its processes.",
    discussion: """
      Processes on this machine that open the group find the daemon by themselves. Others dial an \
      endpoint given with --listen: a loopback address, or, with --keys, any address. With keys only \
      those are let in whose key is in the directory's allowlist (starling keys).

      Every option can also come from the environment, as STARLING_GROUP, STARLING_DIRECTORY, \
      STARLING_SOCKETS, STARLING_LISTEN, STARLING_CONNECT, STARLING_ADVERTISE (lists separated by \
      commas), STARLING_CLUSTER (likewise), STARLING_TIER, STARLING_KEYS, STARLING_HISTORY, STARLING_METRICS, STARLING_CONSOLE, \
      STARLING_AUDIT, STARLING_MAX_DOCUMENTS, STARLING_MAX_DOCUMENTS_PER_KEY, \
      STARLING_MAX_REPLICA_IDS_PER_KEY, STARLING_MAX_MEGABYTES_PER_KEY, STARLING_ON_LOG_FAILURE, STARLING_LOG_LEVEL. The command line takes precedence.

      Daemons tell each other which daemons exist: one --connect is enough to find all of a group.

      On SIGUSR1 it prints one JSON object: its store and version, what it has done, and which \
      daemons it knows.

      Stop it with SIGTERM or Ctrl-C: it saves, takes leave of its peers and exits with status 0. If the disk did not \
      accept everything, it prints what is missing and exits with status 1.
      """,
    version: "starlingd 0.2.0")

  @Option(help: "The group to serve.")
  var group: String?

  @Option(help: "Where the documents are kept. Made if it is missing.")
  var directory: String?

  @Option(help: "The directory of sockets in which processes find each other (default: this user's runtime directory).")
  var sockets: String?

  @Option(name: .customLong("listen"), help: "Accept peers at this endpoint, as tcp://127.0.0.1:7400. May be repeated.")
  var listen: [String] = []

  @Option(help: "The directory of this daemon's keys and of those it lets in over TCP and in a cluster (starling keys).")
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

  @Flag(help: "Announce this daemon on the local network, and listen for other daemons of the group.")
  var beacon = false

  @Option(help: "The multicast address and port for --beacon (default: 239.255.74.7:7474).")
  var beaconAddress: String?

  @Option(help: "The address of the network interface for --beacon (default: as the system chooses).")
  var beaconInterface: String?

  @Option(help: "How much of the history is kept: everything, state, or a number of days (default: everything).")
  var history: String?

  @Option(
    help: ArgumentHelp(
      "How many documents peers may have opened here in all (default: 16384).", valueName: "count"))
  var maxDocuments: Int?

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

  @Flag(help: "Do not serve the processes on this machine through the directory of sockets.")
  var noSockets = false

  func run() async throws {
    let environment = ConfigReader(provider: EnvironmentVariablesProvider())
    guard let group = group ?? environment.string(forKey: "starling.group") else {
      throw ValidationError("Name the group to serve: --group NAME, or STARLING_GROUP.")
    }
    guard let directory = directory ?? environment.string(forKey: "starling.directory") else {
      throw ValidationError("Name the directory of the documents: --directory PATH, or STARLING_DIRECTORY.")
    }
    let levelName = logLevel ?? environment.string(forKey: "starling.log.level") ?? "info"
    guard let level = Logger.Level(rawValue: levelName) else {
      throw ValidationError(
        "'\(levelName)' is no log level. Choose trace, debug, info, notice, warning, error or critical.")
    }
    LoggingSystem.bootstrap(StreamLogHandler.standardError)
    var logger = Logger(label: "starlingd")
    logger.logLevel = level

    var options = BareReplica.Options()
    options.isDaemon = true
    options.agent = "starlingd 0.2.0"
    options.logger = logger
    options.joinsThisMachine = !noSockets
    options.socketDirectory = sockets ?? environment.string(forKey: "starling.sockets")
    options.listen =
      listen.isEmpty ? environment.stringArray(forKey: "starling.listen") ?? [] : listen
    options.connect =
      connect.isEmpty ? environment.stringArray(forKey: "starling.connect") ?? [] : connect

    options.advertise =
      advertise.isEmpty ? environment.stringArray(forKey: "starling.advertise") ?? [] : advertise
    let servers =
      cluster?.split(separator: ",").map(String.init) ?? environment.stringArray(forKey: "starling.cluster")
    options.cluster = servers.map { BareReplica.Options.Cluster(servers: $0) }
    options.gossips = !noGossip
    if let name = tier ?? environment.string(forKey: "starling.tier") {
      guard let tier = EngineConfiguration.Tier(rawValue: name) else {
        throw ValidationError("'\(name)' is no tier. Choose upper, lower or either.")
      }
      options.tier = tier
    }
    if beacon || beaconAddress != nil || beaconInterface != nil {
      var calling = BareReplica.Options.Beacon()
      if let beaconAddress { calling.address = beaconAddress }
      calling.interface = beaconInterface
      options.beacon = calling
    }
    options.audit = audit ?? environment.string(forKey: "starling.audit")
    let metricsAddress = try address(ofMetrics: metrics ?? environment.string(forKey: "starling.metrics"))
    let consoleAddress = try address(ofConsole: console ?? environment.string(forKey: "starling.console"))
    let events = ConsoleEvents()
    if consoleAddress != nil { events.watch(&options) }
    options.keys = (keys ?? environment.string(forKey: "starling.keys")).map { KeyDirectory($0) }

    if let history = history ?? environment.string(forKey: "starling.history") { try options.keep(history) }

    if let count = maxDocuments ?? environment.int(forKey: "starling.max.documents") {
      guard count > 0 else { throw ValidationError("--max-documents \(count): at least one.") }
      options.documentCountMax = count
    }
    try options.budget(
      documents: maxDocumentsPerKey ?? environment.int(forKey: "starling.max.documents.per.key"),
      replicaIDs: maxReplicaIdsPerKey ?? environment.int(forKey: "starling.max.replica.ids.per.key"),
      megabytes: maxMegabytesPerKey ?? environment.int(forKey: "starling.max.megabytes.per.key"))

    let failures = try LogFailures(onLogFailure ?? environment.string(forKey: "starling.on.log.failure"))
    failures.watch(&options)
    options.acceptsDamage = acceptDamage

    let replica: BareReplica
    do {
      replica = try await BareReplica.open(group, in: directory, options: options)
    } catch {
      // A person's mistake or a full disk, said in words; no trace.
      FileHandle.standardError.write(Data("starlingd: \(error)\n".utf8))
      throw ExitCode.failure
    }
    let endpoint = try await endpoint(of: replica, at: metricsAddress)
    let page = try await consoleServer(of: replica, at: consoleAddress, in: directory, events)
    let line =
      await Self.announcement(of: replica, from: directory) + (page.map { "; its page at \($0.link)" } ?? "")
      + (endpoint.map { "; its numbers at \($0.url)" } ?? "")
    let endpoints: [any Service] = (endpoint.map { [$0] } ?? []) + (page.map { [$0] } ?? [])
    let services = [replica, Standing(replica: replica)] + endpoints + [failures, Announcement(line: line)]
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
    guard status.isSaved else {
      FileHandle.standardError.write(Data("starlingd: \(status.unsavedExplanation)\n".utf8))
      throw ExitCode.failure
    }
    try outcome.get()
    logger.info("saved and stopped")
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
    of replica: BareReplica, at address: ListenAddress?, in directory: String, _ events: ConsoleEvents
  ) async throws -> ConsoleServer? {
    guard let address else { return nil }
    do {
      return try await ConsoleServer(of: replica, at: address, token: .kept(in: directory), events: events)
    } catch {
      try? await replica.close()
      let what = (error as? ConsoleError)?.description ?? error.localizedDescription
      FileHandle.standardError.write(Data("starlingd: The page cannot be served at \(address): \(what)\n".utf8))
      throw ExitCode.failure
    }
  }

  private func address(ofMetrics text: String?) throws -> ListenAddress? {
    guard let text else { return nil }
    guard let address = ListenAddress(text) else {
      throw ValidationError("'\(text)' is no address for --metrics. Write it as 127.0.0.1:9464.")
    }
    guard address.isLoopback || metricsBeyondLoopback else {
      throw ValidationError(
        "At '\(text)' anybody who reaches this machine may read the numbers. Choose a loopback address, or add "
          + "--metrics-beyond-loopback.")
    }
    return address
  }

  private func endpoint(of replica: BareReplica, at address: ListenAddress?) async throws -> MetricsEndpoint? {
    guard let address else { return nil }
    do {
      return try await MetricsEndpoint(of: replica, at: address)
    } catch {
      try? await replica.close()
      FileHandle.standardError.write(
        Data("starlingd: The numbers cannot be shown at \(address): \(error.localizedDescription)\n".utf8))
      throw ExitCode.failure
    }
  }

  /// With the endpoints that others dial, which name the key.
  private static func announcement(of replica: BareReplica, from directory: String) async -> String {
    let endpoints = await replica.status().endpoints.filter { $0.hasPrefix("tcp:") }
    return "starlingd serves '\(replica.group)' from \(directory)"
      + (endpoints.isEmpty ? "" : ", and at \(endpoints.joined(separator: " "))")
  }
}

/// Says that the daemon serves, once it can be told to stop: the service group takes the signals
/// before it runs its services.
private struct Announcement: Service {
  let line: String

  func run() async throws {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
    try? await gracefulShutdown()
  }
}

extension BareReplica.Options {
  /// What is not said stays as it is.
  fileprivate mutating func budget(documents: Int?, replicaIDs: Int?, megabytes: Int?) throws(ValidationError) {
    for count in [documents, replicaIDs, megabytes].compactMap(\.self) where !(1...(1 << 40)).contains(count) {
      throw ValidationError("\(count) is no budget of a key: at least one.")
    }
    if let documents { budgets.documentsPerKey = documents }
    if let replicaIDs { budgets.replicaIDsPerKeyAndDay = replicaIDs }
    if let megabytes { budgets.loggedBytesPerKeyAndDay = megabytes << 20 }
    budgets.replicaIDsPerDay = max(budgets.replicaIDsPerDay, budgets.replicaIDsPerKeyAndDay)
    budgets.loggedBytesPerDay = max(budgets.loggedBytesPerDay, budgets.loggedBytesPerKeyAndDay)
  }

  fileprivate mutating func keep(_ text: String) throws(ValidationError) {
    switch text {
    case "everything": history = .everything
    case "state": history = .stateOnly(byteCountMin: 64 << 10)
    default:
      guard let days = Int(text), days >= 0 else {
        throw ValidationError("'\(text)' is no history. Choose everything, state, or a number of days.")
      }
      history = .days(days)
    }
  }
}
