import ArgumentParser
import Logging
import StarlingReplica

// What the command line and the settings make of the replica's options.
extension Daemon {
  func group(_ settings: Settings) throws(ValidationError) -> String {
    guard let group = group ?? settings.text("group") else {
      throw ValidationError("Name the group to serve: --group NAME, or STARLING_GROUP.")
    }
    return group
  }

  /// - Parameter isNeeded: whether the documents are kept there.
  func directory(_ settings: Settings, isNeeded: Bool) throws(ValidationError) -> String? {
    let directory = directory ?? settings.text("directory")
    guard directory != nil || !isNeeded else {
      throw ValidationError("Name the directory of the documents: --directory PATH, or STARLING_DIRECTORY.")
    }
    return directory
  }

  func options(_ settings: Settings, _ logger: Logger) throws(ValidationError) -> BareReplica.Options {
    var options = BareReplica.Options()
    options.isDaemon = true
    options.agent = "starlingd 0.2.0"
    options.logger = logger
    options.joinsThisMachine = !(noSockets || settings.flag("no-sockets"))
    options.socketDirectory = sockets ?? settings.text("sockets").flatMap { $0.isEmpty ? nil : $0 }
    options.socketGroup = socketGroup ?? settings.text("socket-group").flatMap { $0.isEmpty ? nil : $0 }
    options.listen = listen.isEmpty ? settings.texts("listen") ?? [] : listen
    options.connect = connect.isEmpty ? settings.texts("connect") ?? [] : connect
    options.advertise = advertise.isEmpty ? settings.texts("advertise") ?? [] : advertise
    options.cluster = chosenCluster(settings)
    options.shard = try chosenShard(settings)
    options.gossips = !(noGossip || settings.flag("no-gossip"))
    if let name = tier ?? settings.text("tier") {
      guard let tier = EngineConfiguration.Tier(rawValue: name) else {
        throw ValidationError("'\(name)' is no tier. Choose upper, lower or either.")
      }
      options.tier = tier
    }
    options.audit = audit ?? settings.text("audit")
    options.keys = (keys ?? settings.text("keys")).map { KeyDirectory($0) }
    if let history = history ?? settings.text("history") { try options.keep(history) }
    if let count = maxDocuments ?? settings.number("max-documents") {
      guard count > 0 else { throw ValidationError("--max-documents \(count): at least one.") }
      options.documentCountMax = count
    }
    if let count = maxOpenDocuments ?? settings.number("max-open-documents") {
      guard count >= 0 else { throw ValidationError("--max-open-documents \(count): 0 or more.") }
      options.openDocumentCountMax = count
    }
    try options.budget(
      documents: maxDocumentsPerKey ?? settings.number("max-documents-per-key"),
      replicaIDs: maxReplicaIdsPerKey ?? settings.number("max-replica-ids-per-key"),
      megabytes: maxMegabytesPerKey ?? settings.number("max-megabytes-per-key"))
    options.acceptsDamage = acceptDamage
    return options
  }

  /// Nil for a log in the directory.
  func logPlace(_ settings: Settings) throws(ValidationError) -> BareReplica.Options.JetStream? {
    let name = log ?? settings.text("log") ?? "sqlite"
    var place = BareReplica.Options.JetStream()
    place.name = logName ?? settings.text("log-name")
    place.isStandby = standby || settings.flag("standby")
    let replicas = logReplicas ?? settings.number("log-replicas")
    let megabytes = logMegabytes ?? settings.number("log-megabytes")
    switch name {
    case "sqlite":
      guard place.name == nil, !place.isStandby, replicas == nil, megabytes == nil else {
        throw ValidationError(
          "--log-name, --log-replicas, --log-megabytes and --standby are about a log in a stream: add --log jetstream.")
      }
      return nil
    case "jetstream":
      guard chosenCluster(settings)?.servers.isEmpty == false else {
        throw ValidationError(
          "--log jetstream keeps the log on the servers of a NATS cluster: name them with --cluster nats://HOST:4222.")
      }
      if let replicas {
        guard [1, 3, 5].contains(replicas) else {
          throw ValidationError("--log-replicas \(replicas): a stream is kept on 1, 3 or 5 servers.")
        }
        place.replicas = replicas
      }
      if let megabytes {
        guard (1...(1 << 30)).contains(megabytes) else {
          throw ValidationError("--log-megabytes \(megabytes): at least one.")
        }
        place.byteCountMax = Int64(megabytes) << 20
      }
      return place
    default: throw ValidationError("'\(name)' is no place of a log. Choose sqlite or jetstream.")
    }
  }

  private func chosenShard(_ settings: Settings) throws(ValidationError) -> DocumentShard {
    guard let text = shard ?? settings.text("shard") else { return .whole }
    guard let chosen = DocumentShard(text) else {
      throw ValidationError(
        "--shard \(text): write I/N, the I-th of N shards, as 2/4. N is 1 to \(DocumentShard.countMax), and I 1 to N.")
    }
    guard !chosen.isPart || chosenCluster(settings) == nil else {
      throw ValidationError(
        "--shard and --cluster: a daemon of a shard joins no cluster. Link the daemons of each shard with "
          + "--connect.")
    }
    return chosen
  }

  private func chosenCluster(_ settings: Settings) -> BareReplica.Options.Cluster? {
    guard let servers = cluster?.split(separator: ",").map(String.init) ?? settings.texts("cluster") else { return nil }
    var chosen = BareReplica.Options.Cluster(servers: servers)
    chosen.credentials = clusterCreds ?? settings.text("cluster-creds")
    chosen.nkey = clusterNkey ?? settings.text("cluster-nkey")
    chosen.tlsAuthorities = clusterTlsCa ?? settings.text("cluster-tls-ca")
    chosen.tlsCertificate = clusterTlsCert ?? settings.text("cluster-tls-cert")
    chosen.tlsKey = clusterTlsKey ?? settings.text("cluster-tls-key")
    return chosen
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
