import StarlingCore
import StarlingEngine
import StarlingWire

// What was acknowledged, held against what is there by content: versions are what acknowledgements are made of, so they
// cannot prove them.
extension Simulation {
  func noteWitnesses(_ edits: [Edit], at replica: SimulatedReplica, _ handle: DocumentHandle) {
    for case .witness(let number) in edits { witnesses[handle.id, default: WitnessLedger()].written.insert(number) }
  }

  /// Runs what takes content away on purpose.
  func altering(_ handle: DocumentHandle, _ body: () -> Void) {
    let before = handle.read { Witness.all(in: $0) }
    body()
    let after = handle.read { Witness.all(in: $0) }
    witnesses[handle.id, default: WitnessLedger()].excused.formUnion(before.subtracting(after))
  }

  /// What a replica does not see any more was taken away on purpose.
  func excuse(unseenAt handle: DocumentHandle) {
    let seen = handle.read { Witness.all(in: $0) }
    guard let written = witnesses[handle.id]?.written else { return }
    witnesses[handle.id]?.excused.formUnion(written.subtracting(seen))
  }

  /// A flush returned: what stood when it was called is on the replica's disk, and on those of so many others.
  func acknowledged(_ numbers: Set<Int>, in document: DocumentID, at replica: SimulatedReplica, others: Int) {
    if others == 0 {
      replica.acknowledged[document, default: []].formUnion(numbers)
      verifyDisk(of: replica, document)
    } else if disksKeepWhatTheySay, schedule.hostileRole?.mayWrite != true, violations.isEmpty {
      // Whoever may write may say that it holds what it does not.
      verifyElsewhere(numbers, document, replica, others)
    }
  }

  /// Whether no disk was put back, or lied.
  private var disksKeepWhatTheySay: Bool {
    ["backup", "powerLoss", "copiedStore", "closedStorePutBack"].allSatisfy { doings[$0, default: 0] == 0 }
  }

  /// The replica's disk holds what was acknowledged, read by content.
  func verifyDisk(of replica: SimulatedReplica, _ document: DocumentID) {
    guard promisedDocuments.contains(document), let promised = replica.acknowledged[document], !promised.isEmpty
    else { return }
    let expected = promised.subtracting(witnesses[document]?.excused ?? [])
    let disk = replica.disk
    let copy = disk.copied()
    whenDone({ await copy.makeLog().witnesses(of: document) }) { [unowned self] found in
      guard replica.disk === disk else { return }
      guard let found else { return report(violation: "the disk of \(replica.name) cannot be read") }
      let lost = expected.subtracting(found).subtracting(witnesses[document]?.excused ?? [])
      if !lost.isEmpty {
        report(
          violation: "\(replica.name) said that \(lost.sorted()) in '\(document)' is durable, and its disk lacks it")
      }
    }
  }

  private func verifyElsewhere(
    _ numbers: Set<Int>, _ document: DocumentID, _ replica: SimulatedReplica, _ others: Int
  ) {
    let copies = replicas.filter { $0 !== replica && !$0.isGuest }.map { $0.disk.copied() }
    let excused = witnesses[document]?.excused ?? []
    let count: @Sendable () async -> [Int: Int] = {
      var counts: [Int: Int] = [:]
      for copy in copies {
        for number in await copy.makeLog().witnesses(of: document) ?? [] { counts[number, default: 0] += 1 }
      }
      return counts
    }
    whenDone(count) { [unowned self] counts in
      let lacking = numbers.subtracting(excused).filter { counts[$0, default: 0] < others }
      guard !lacking.isEmpty else { return }
      report(
        violation: "\(replica.name) was told that \(others) other disks hold \(lacking.sorted()) of '\(document)', "
          + "and \(lacking.map { counts[$0, default: 0] }) do")
    }
  }

  /// Whatever a store said is durable is read everywhere, now that everybody holds the same.
  func checkWitnesses() {
    for document in promisedDocuments {
      var expected: Set<Int> = []
      for replica in replicas where !replica.hasLeft && !replica.isGuest {
        expected.formUnion(replica.acknowledged[document] ?? [])
      }
      expected.subtract(witnesses[document]?.excused ?? [])
      guard !expected.isEmpty else { continue }
      for replica in replicas {
        guard let handle = handle(of: document, at: replica) else { continue }
        let lost = expected.subtracting(handle.read { Witness.all(in: $0) })
        if !lost.isEmpty {
          report(
            violation: "\(lost.sorted()) in '\(document)' was said to be durable, and \(replica.name) does not have it")
        }
      }
    }
  }
}

extension ChangeLog {
  /// What a reader finds who opens the store; nil where nothing can be read of it. To be called of a copy.
  fileprivate func witnesses(of document: DocumentID) async -> Set<Int>? {
    guard (try? await open()) != nil, let stored = try? await recover(document) else { return nil }
    var content = Document()
    if let snapshot = stored.snapshot {
      guard let state = try? SnapshotCoding.open(snapshot.bytes, limits: WireLimits()) else { return nil }
      content = state
    }
    // Others may have moved what is removed in a change before.
    content.holdsRemovedObjects = true
    for record in stored.records {
      var patch = Patch()
      guard (try? Batch.merge(record.bytes, into: &content, patch: &patch, limits: WireLimits())) != nil else {
        return nil
      }
    }
    return Witness.all(in: content)
  }
}
