import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingSession

// The life of the processes: started, frozen, killed, closed, started again.
extension Simulation {
  func start(_ replica: SimulatedReplica) {
    trace.note("\(replica.name) starts", at: now)
    if replica.isGuest { replica.forget() }
    let isRelay = topology.relays(replica.index, of: replicas.count)
    var configuration = makeConfiguration(replica.name, isRelay: isRelay, history: replica.history)
    configuration.leasesReplicaID = replica.isGuest
    if allowlist != nil {
      configuration.writers = replica.writers.withLock { $0 }
      configuration.noteWriters = { [writers = replica.writers] bindings in
        writers.withLock { $0 += bindings }
      }
    }
    let identity = allowlist?.identity(of: replica.keyName) ?? .sameUser
    let link = SimulatedLink(network.makeLink(named: replica.name, as: identity), networkFaults: networkFaults)
    let log = SimulatedLog(
      disk: replica.disk.makeLog(), network: network, delay: faults.diskDelay, planned: replica.plannedLogFaults,
      generator: replica.generator.fork())
    let spoken = replica.dialect.speak(over: link)
    let process = SimulatedProcess(
      engine: makeEngine(
        over: fault?.plant(in: spoken) ?? spoken, log: fault?.plant(in: log) ?? log, configuration,
        replica.clock, replica.generator.fork()), link: link, log: log)
    if replica.dialect != .present { doings["\(replica.dialect)Version", default: 0] += 1 }
    for document in documents { verifyDisk(of: replica, document) }
    replica.process = process
    replica.isWelcomed = false
    replica.isOffline = false
    replica.checked = [:]
    let isFollowingHostileRelay = hostileRelay != nil && !isRelay
    let opensNothing = isRelay && (!topology.gossips || schedule.closesDocuments)
    process.start(
      endpoint: topology.binds(replica.index, of: replicas.count) && replica.original == nil ? replica.endpoint : nil,
      dialling: topology.dials(replica.index, of: replicas.count).map { replicas[$0].endpoint }
        + (isFollowingHostileRelay ? [HostileRelay.endpoint] : []),
      // A relay opens what it is asked for; relays that gossip may be all that is left, and open what there is.
      opening: opensNothing ? [] : promisedDocuments,
      ifThere: opensNothing ? [] : documents.filter { !promisedDocuments.contains($0) },
      on: network.executor)
  }

  func makeConfiguration(
    _ agent: String, isRelay: Bool, history: EngineConfiguration.History
  ) -> EngineConfiguration {
    var configuration = EngineConfiguration()
    configuration.background = nil
    // A log that keeps so many days looks for old changes all the time: what matters is what goes on at the same time.
    configuration.compactionInterval = .milliseconds(300)
    configuration.checkpointByteCountMin = 256
    // Every text that was written to, so that all that happens to one happens to those that lie in the log leaf by leaf.
    configuration.keptTextSpanCountMin = 2
    configuration.agent = agent
    configuration.isRelay = isRelay
    configuration.gossips = topology.gossips
    configuration.mayDial = { _ in true }
    configuration.history = history
    if schedule.closesDocuments { configuration.openDocumentCountMax = 0 }
    if schedule.postponesPresence {
      (configuration.backlogByteCountMax, configuration.backpressure) = (100, .dropPresence)
    }
    configuration.lifeSigns = signs
    if let allowlist { configuration.allowlist = { key, _ in allowlist.trust(inKey: key) } }
    return configuration
  }

  func makeEngine(
    over link: any PeerLink, log: any ChangeLog, _ configuration: EngineConfiguration, _ clock: SimulatedClock,
    _ generator: SeededGenerator
  ) -> ReplicaEngine {
    let (network, trace, name) = (network, trace, configuration.agent)
    let (disowned, writtenAgain, toldStranded) = (disowned, writtenAgain, toldStranded)
    let (promised, standsOnNothing) = (promisedDocuments, standsOnNothing)
    return ReplicaEngine(
      link: link, log: log, configuration: configuration, clock: clock.engineClock, generator: generator,
      report: { event in
        trace.note("\(name): \(event)", at: network.now)
        switch event {
        case .disowned(let document, _, _) where promised.contains(document):
          disowned.withLock { _ = $0.insert(name) }
        case .refused(_, let explanation) where explanation.contains("stands on"):
          standsOnNothing.withLock { _ = $0.insert(name) }
        case .writtenAgain(let document, let replica, let counters, _):
          let former = counters.lowerBound - 1
          writtenAgain.withLock { $0[document, default: [:]].merge([replica: former], uniquingKeysWith: min) }
        case .stranded(let document, _, _): toldStranded.withLock { _ = $0.insert(document) }
        default: break
        }
      })
  }

  func startAgain(_ replica: SimulatedReplica) {
    if replica.process == nil, !replica.hasLeft, !replica.staysAway { start(replica) }
  }

  /// Puts the backup in place of the disk of a killed process if there is one, and makes one if not.
  func exchangeBackup(of replica: SimulatedReplica) {
    if let backup = replica.backup {
      trace.note("the disk of \(replica.name) is restored from its backup", at: now)
      replica.lose(keeping: backup)
      replica.backup = nil
    } else {
      trace.note("the disk of \(replica.name) is backed up", at: now)
      replica.backup = replica.disk.backup(of: documents, on: network.executor)
    }
  }

  /// Holds a process that has just become ready against what its store had promised.
  func welcome(_ replica: SimulatedReplica) {
    guard let process = replica.process, !replica.isWelcomed else { return }
    if let failure = process.state.withLock({ $0.failure }) {
      guard process.log.hasFailed else { return report(violation: "\(replica.name) does not start: \(failure)") }
      // Whoever looks after it starts it again.
      trace.note("\(replica.name) does not start: \(failure)", at: now)
      crash(replica)
      return later(.milliseconds(100)) { [unowned self] in startAgain(replica) }
    }
    guard process.isReady else { return }
    replica.isWelcomed = true
    replica.doubtfulIDs = [:]
    for document in documents {
      guard let handle = handle(of: document, at: replica) else { continue }
      if replica.isPutBack { replica.doubtfulIDs[document] = handle.replica }
      attend(to: handle, at: replica)
      let recovered = process.log.recovered(document)
      if let promised = replica.promises[document].map({ standing($0, of: document) }), !recovered.covers(promised) {
        report(violation: "\(replica.name) said that \(promised) of '\(document)' is durable, and found \(recovered)")
      }
      if let head = replica.ownHeads[document], head.replica == handle.replica,
        recovered[head.replica] != head.counter, writtenAgain.withLock({ $0[document]?[head.replica] == nil })
      {
        report(
          violation: "\(replica.name) goes on as \(head.replica) in '\(document)' after \(recovered[head.replica]), "
            + "and had written \(head.counter)")
      }
    }
    trace.note("\(replica.name) is ready", at: now)
  }

  func crash(_ replica: SimulatedReplica) {
    guard let process = replica.process else { return }
    trace.note("\(replica.name) is killed", at: now)
    network.executor.runJobs()
    noteEnd(of: replica)
    network.executor.run { process.kill() }
    network.executor.runJobs()
    replica.disk.endProcess()
    replica.process = nil
    replica.isFrozen = false
    replica.isClosing = false
    // It hands out no id that it had.
    replica.isPutBack = false
  }

  /// Closes in good order; started again once closed, after a while.
  func close(_ replica: SimulatedReplica, startingAfter absence: Duration) {
    guard let process = replica.process, replica.isRunning else { return }
    trace.note("\(replica.name) closes", at: now)
    endTransactions(of: replica)
    replica.isClosing = true
    process.close(on: network.executor)
    awaitClosed(replica, process, startingAfter: absence)
  }

  private func awaitClosed(_ replica: SimulatedReplica, _ process: SimulatedProcess, startingAfter absence: Duration) {
    later(.milliseconds(1)) { [unowned self] in
      guard replica.process === process, replica.isClosing else { return }
      guard process.isClosed else { return awaitClosed(replica, process, startingAfter: absence) }
      trace.note("\(replica.name) is closed", at: now)
      noteEnd(of: replica)
      network.executor.run { process.kill() }
      replica.disk.endProcess()
      replica.process = nil
      replica.isClosing = false
      if replica.keepsClosedStore {
        (replica.keepsClosedStore, replica.closedStore) = (false, replica.disk.image())
      }
      later(absence) { [unowned self] in startAgain(replica) }
    }
  }

  /// What the process leaves for the next of its store to be held against.
  private func noteEnd(of replica: SimulatedReplica) {
    guard let process = replica.process else { return }
    countersOfThePast += counters(of: process)
    replica.noteEnd()
    for (document, version) in process.promises { replica.promises[document, default: SeenVersion()].merge(version) }
    for document in documents {
      guard let handle = handle(of: document, at: replica) else { continue }
      replica.ownHeads[document] = (handle.replica, SeenVersion(handle.version)[handle.replica])
    }
  }

  func freeze(_ replica: SimulatedReplica) {
    guard let process = replica.process, !replica.isFrozen else { return }
    trace.note("\(replica.name) stands still", at: now)
    replica.isFrozen = true
    process.link.freeze()
    process.log.freeze()
  }

  func setOnline(_ isOnline: Bool, _ replica: SimulatedReplica) {
    guard let process = replica.process, replica.isOffline == isOnline else { return }
    trace.note("\(replica.name) goes \(isOnline ? "online" : "offline")", at: now)
    replica.isOffline = !isOnline
    network.executor.run { process.engine.assumeIsolated { $0.setOnline(isOnline) } }
  }

  func thaw(_ replica: SimulatedReplica) {
    guard let process = replica.process, replica.isFrozen else { return }
    trace.note("\(replica.name) goes on", at: now)
    replica.isFrozen = false
    network.executor.run {
      process.link.thaw()
      process.log.thaw()
    }
  }
}
