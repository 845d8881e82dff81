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

  func directory(_ settings: Settings) throws(ValidationError) -> String {
    guard let directory = directory ?? settings.text("directory") else {
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
    options.socketDirectory = sockets ?? settings.text("sockets")
    options.listen = listen.isEmpty ? settings.texts("listen") ?? [] : listen
    options.connect = connect.isEmpty ? settings.texts("connect") ?? [] : connect
    options.advertise = advertise.isEmpty ? settings.texts("advertise") ?? [] : advertise
    options.cluster = chosenCluster(settings)
    options.gossips = !(noGossip || settings.flag("no-gossip"))
    if let name = tier ?? settings.text("tier") {
      guard let tier = EngineConfiguration.Tier(rawValue: name) else {
        throw ValidationError("'\(name)' is no tier. Choose upper, lower or either.")
      }
      options.tier = tier
    }
    options.beacon = chosenBeacon(settings)
    options.audit = audit ?? settings.text("audit")
    options.keys = (keys ?? settings.text("keys")).map { KeyDirectory($0) }
    if let history = history ?? settings.text("history") { try options.keep(history) }
    if let count = maxDocuments ?? settings.number("max-documents") {
      guard count > 0 else { throw ValidationError("--max-documents \(count): at least one.") }
      options.documentCountMax = count
    }
    try options.budget(
      documents: maxDocumentsPerKey ?? settings.number("max-documents-per-key"),
      replicaIDs: maxReplicaIdsPerKey ?? settings.number("max-replica-ids-per-key"),
      megabytes: maxMegabytesPerKey ?? settings.number("max-megabytes-per-key"))
    options.acceptsDamage = acceptDamage
    return options
  }

  private func chosenBeacon(_ settings: Settings) -> BareReplica.Options.Beacon? {
    let address = beaconAddress ?? settings.text("beacon-address")
    let interface = beaconInterface ?? settings.text("beacon-interface")
    guard beacon || settings.flag("beacon") || address != nil || interface != nil else { return nil }
    var chosen = BareReplica.Options.Beacon()
    if let address { chosen.address = address }
    chosen.interface = interface
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
