import StarlingCore
import StarlingEngine
import StarlingSession

/// How a document stood at some version.
struct SeenState {
  var digest: Digest
  var document: Document
}

// What must hold, whatever goes wrong.
extension Simulation {
  /// Looks at every document that has changed at a replica that is up.
  func check() {
    for replica in replicas + copies {
      for document in documents {
        guard let handle = handle(of: document, at: replica) else { continue }
        let version = handle.version
        guard replica.checked.updateValue(version, forKey: document) != version else { continue }
        handle.read { $0.checkInvariants() }
        // Whoever may write in everybody's name may give one version two contents.
        guard promisedDocuments.contains(document) else { continue }
        willWrite(to: handle, at: replica)
        // Half a transaction has no version.
        guard let (digest, version) = handle.digestWithVersion() else { continue }
        replica.note(version, of: document)
        // A replica that forgot some of an object before it heard of a member that moved it lacks that until states are
        // exchanged (Protocol/merge.md, "Incomplete objects").
        guard handle.read({ $0.incompleteObjects.isEmpty }) else {
          doings["incompleteObjects", default: 0] += 1
          continue
        }
        // What a guest wrote under a lease and nobody heard of may be written otherwise by the next.
        if replica.isGuest || replica.original != nil, !isHeardOf(version, document) { continue }
        compareWithWhatWasSeen(digest, at: version, of: handle, at: replica)
      }
      for document in documents {
        for finding in replica.readers[document]?.findings.prefix(1) ?? [] {
          report(violation: "a reader of '\(document)' at \(replica.name): \(finding)")
        }
      }
    }
  }

  /// The state in which a version was first seen stands for all later ones: only that is copied.
  private func compareWithWhatWasSeen(
    _ digest: Digest, at version: VersionVector, of handle: DocumentHandle, at replica: SimulatedReplica
  ) {
    let seen = digestsSeen[handle.id]?[version]
    guard seen?.digest != digest, let copy = handle.copy() else { return }
    guard let seen else {
      digestsSeen[handle.id, default: [:]][version] = SeenState(digest: digest, document: copy)
      return
    }
    guard !isSame(seen, digest, copy) else { return }
    let difference = View(copy).difference(from: View(seen.document)) ?? "no difference that readers see"
    report(
      violation: "'\(handle.id)' at \(replica.name) has the digest \(digest) at \(version), "
        + "for which \(seen.digest) was seen before: \(difference)")
  }

  /// Whether two states of one version are equal, or differ in marks of null alone that one side forgot before it heard
  /// of a mark below them: each then takes over what the other holds (Protocol/merge.md, "Tombstone collection").
  func isSame(_ seen: SeenState, _ digest: Digest, _ document: Document) -> Bool {
    if seen.digest == digest { return true }
    var (mine, theirs) = (document, seen.document)
    var unread = Patch()
    guard (try? mine.merge(seen.document.snapshot(), patch: &unread)) != nil,
      (try? theirs.merge(document.snapshot(), patch: &unread)) != nil, mine.digest() == theirs.digest()
    else { return false }
    doings["forgottenMarks", default: 0] += 1
    return true
  }

  /// Whether one of those who keep what they hear has all that the version covers.
  private func isHeardOf(_ version: VersionVector, _ document: DocumentID) -> Bool {
    let version = SeenVersion(version)
    return replicas.contains { !$0.isGuest && seenVersion(of: document, at: $0)?.covers(version) == true }
  }

  /// Whether everybody who is still there is up and holds the same.
  var hasConverged: Bool {
    promisedDocuments.allSatisfy { document in
      let states = replicas.filter { !$0.hasLeft }.map { replica in
        replica.isRunning ? handle(of: document, at: replica)?.digestWithVersion() : nil
      }
      guard let first = states.first ?? nil else { return false }
      return states.allSatisfy { $0.map { $0 == first } ?? false }
    }
  }

  /// Whether nothing is kept for later any more, by the engines' own counts: what is counted in is counted out.
  var isQuiet: Bool { leftovers.isEmpty }

  /// What engines hold that nobody will ask for, in words: bytes and records that wait for a log, changes that wait for
  /// others, requests that are held back, answers that nobody takes.
  var leftovers: [String] {
    replicas.flatMap { replica -> [String] in
      guard let measured = measurements(of: replica) else { return [] }
      var counts = [("answers that wait", measured.answersWaiting)]
      for document in measured.documents where promisedDocuments.contains(document.id) {
        counts += [
          ("bytes for the log", document.backlogBytes), ("records for the log", document.recordsWaiting),
          ("requests held back", document.pullsPostponed),
        ]
        // What they stand on may have gone with a process that had it alone.
        if losesNothing { counts.append(("changes held", document.changesHeld)) }
      }
      return counts.filter { $0.1 != 0 }.map { "\(replica.name): \($0.1) \($0.0)" }
    }
  }

  /// How the replica stands by its engine's own counts; nil while it is down.
  func measurements(of replica: SimulatedReplica) -> EngineMeasurements? {
    guard let process = replica.process else { return nil }
    return network.executor.run { process.engine.assumeIsolated { $0.measure() } }
  }

  /// Whether nothing that was told to anybody can be missing in the end.
  private var losesNothing: Bool {
    let losses = [
      "crash", "backup", "powerLoss", "longAbsence", "departure", "brokenDisk", "copiedStore", "closedStorePutBack",
      "diskFailure", "lostLogAnswer", "replacedKey", "newStore",
    ]
    return schedule.guests == 0 && schedule.hostileRole == nil && losses.allSatisfy { doings[$0, default: 0] == 0 }
  }

  /// Everybody holds the same and says so: looks at what must be true then.
  func checkSettled() {
    if schedule.guests > 0 {
      for document in documents { doings["lease", default: 0] += leaseNumbers(of: document).reduce(0) { $0 + Int($1) } }
    }
    checkAcknowledged()
    checkWitnesses()
    checkReads()
    settlePresence()
    doings["postponedPresence", default: 0] += counters.presencePostponed
    doings["closedDocument", default: 0] += counters.documentsClosed
  }

  /// Whatever was said to be durable is everywhere, now that everybody holds the same.
  ///
  /// - Parameter stranded: up to where that counts for some ids: what they wrote later is where it was said to be, and
  ///   nowhere else.
  func checkAcknowledged(without stranded: [DocumentID: [ReplicaID: UInt64]] = [:]) {
    for document in promisedDocuments {
      var promised = SeenVersion()
      for replica in replicas where !replica.hasLeft {
        promised.merge(replica.promises[document] ?? SeenVersion())
        promised.merge(replica.process?.promises[document] ?? SeenVersion())
      }
      promised = standing(promised, of: document).limited(to: stranded[document] ?? [:])
      for replica in replicas {
        guard let version = seenVersion(of: document, at: replica) else { continue }
        if !version.covers(promised) {
          report(
            violation: "of '\(document)' \(promised) was said to be durable, and \(replica.name) ends at \(version)")
        }
      }
    }
  }

  /// How far the document reaches at a replica; nil while that is down.
  func seenVersion(of document: DocumentID, at replica: SimulatedReplica) -> SeenVersion? {
    handle(of: document, at: replica).map { SeenVersion($0.version) }
  }

  /// What is left of a promise: operations that were written again under another id are there by content.
  func standing(_ promised: SeenVersion, of document: DocumentID) -> SeenVersion {
    promised.limited(to: writtenAgain.withLock { $0[document] ?? [:] })
  }

  /// Everybody reads the same, through the reads that models use.
  private func checkReads() {
    for document in promisedDocuments {
      var first: (name: String, view: View)?
      for replica in replicas where !replica.hasLeft {
        guard let handle = handle(of: document, at: replica) else { continue }
        let view = handle.read { View($0) }
        if let first, let difference = first.view.difference(from: view) {
          report(violation: "'\(document)' reads otherwise at \(first.name) and \(replica.name): \(difference)")
        }
        first = first ?? (replica.name, view)
      }
    }
  }

  /// The version of each replica, for people.
  var standing: String {
    documents.flatMap { document in
      replicas.map { replica in
        "\(replica.name) \(handle(of: document, at: replica).map { "\($0.version)" } ?? "down")"
      }
    }.joined(separator: ", ")
  }
}
