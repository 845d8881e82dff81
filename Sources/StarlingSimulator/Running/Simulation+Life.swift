import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingSession

// The life of the processes: started, frozen, killed, closed, started again.
extension Simulation {
  func start(_ replica: SimulatedReplica) {
    trace.note("\(replica.name) starts", at: now)
    if replica.isGuest { replica.forget() }
    var configuration = EngineConfiguration()
    configuration.background = nil
    // A log that keeps so many days looks for old changes all the time: what matters is what goes on meanwhile.
    configuration.foldInterval = .milliseconds(300)
    configuration.checkpointByteCountMin = 256
    configuration.agent = replica.name
    configuration.isRelay = topology.relays(replica.index, of: replicas.count)
    configuration.gossips = topology.gossips
    configuration.mayDial = { _ in true }
    configuration.history = replica.history
    configuration.leasesReplicaID = replica.isGuest
    configuration.lifeSigns = signs
    let network = network
    let trace = trace
    if let allowlist {
      configuration.allowlist = { key, _ in allowlist.trust(inKey: key) }
      configuration.writers = replica.writers.withLock { $0 }
      configuration.noteWriters = { [writers = replica.writers] bindings in
        writers.withLock { $0 += bindings }
      }
    }
    let identity = allowlist?.identity(of: replica.name) ?? .sameUser
    let link = SimulatedLink(network.makeLink(named: replica.name, as: identity), weather: weather)
    let log = SimulatedLog(
      disk: replica.disk, network: network, delay: faults.diskDelay, generator: replica.generator.fork())
    let name = replica.name
    let engine = ReplicaEngine(
      link: fault?.plant(in: link) ?? link, log: fault?.plant(in: log) ?? log, configuration: configuration,
      clock: replica.clock.engineClock,
      generator: replica.generator.fork(), report: { trace.note("\(name): \($0)", at: network.now) })
    let process = SimulatedProcess(engine: engine, link: link, log: log)
    for document in documents { verifyDisk(of: replica, document) }
    replica.process = process
    replica.isWelcomed = false
    replica.isOffline = false
    replica.checked = [:]
    process.start(
      endpoint: topology.binds(replica.index, of: replicas.count) ? replica.endpoint : nil,
      dialling: topology.dials(replica.index, of: replicas.count).map { replicas[$0].endpoint },
      // A relay opens what it is asked for; those of which several may be all that is left open what there is.
      opening: configuration.isRelay && !topology.gossips ? [] : documents, on: network.executor)
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
      replica.backup = replica.disk.copy(of: documents, store: replica.store, on: network.executor)
    }
  }

  /// Holds a process that has just become ready against what its store had promised.
  func welcome(_ replica: SimulatedReplica) {
    guard let process = replica.process, !replica.isWelcomed else { return }
    if let failure = process.state.withLock({ $0.failure }) {
      return report(violation: "\(replica.name) does not start: \(failure)")
    }
    guard process.isReady else { return }
    replica.isWelcomed = true
    for document in documents {
      guard let handle = handle(of: document, at: replica) else { continue }
      attend(to: handle, at: replica)
      let recovered = process.log.recovered(document)
      if let promised = replica.promises[document], !recovered.covers(promised) {
        report(violation: "\(replica.name) said that \(promised) of '\(document)' is durable, and found \(recovered)")
      }
      if let head = replica.ownHeads[document], head.replica == handle.replica,
        recovered[head.replica] != head.counter
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
    replica.process = nil
    replica.isFrozen = false
    replica.isClosing = false
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
      replica.process = nil
      replica.isClosing = false
      later(absence) { [unowned self] in startAgain(replica) }
    }
  }

  /// What the process leaves for the next of its store to be held against.
  private func noteEnd(of replica: SimulatedReplica) {
    guard let process = replica.process else { return }
    countersOfThePast += counters(of: process)
    replica.noteEnd()
    for (document, version) in process.promises { replica.promises[document, default: Version()].merge(version) }
    for document in documents {
      guard let handle = handle(of: document, at: replica) else { continue }
      replica.ownHeads[document] = (handle.replica, handle.version[handle.replica])
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
