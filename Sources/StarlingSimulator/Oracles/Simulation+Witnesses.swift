import StarlingCore
import StarlingEngine

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
  var disksKeepWhatTheySay: Bool {
    ["backup", "powerLoss", "copiedStore", "closedStorePutBack"].allSatisfy { doings[$0, default: 0] == 0 }
  }

  /// The replica's disk holds what was acknowledged, read by content.
  func verifyDisk(of replica: SimulatedReplica, _ document: DocumentID) {
    guard promisedDocuments.contains(document), let promised = replica.acknowledged[document], !promised.isEmpty
    else { return }
    let expected = promised.subtracting(witnesses[document]?.excused ?? [])
    let disk = replica.disk
    let copy = disk.copied()
    whenDone({ await copy.makeLog().content(of: document) }) { [unowned self] content in
      guard replica.disk === disk else { return }
      guard let found = content.flatMap({ replica.diskReaders[document, default: DiskReader()].witnesses(in: $0) })
      else { return report(violation: "the disk of \(replica.name) cannot be read") }
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
    let holders = replicas.filter { $0 !== replica && !$0.isGuest }
    let copies = holders.map { $0.disk.copied() }
    let read: @Sendable () async -> [RecoveredDocument?] = {
      var contents: [RecoveredDocument?] = []
      for copy in copies { contents.append(await copy.makeLog().content(of: document)) }
      return contents
    }
    whenDone(read) { [unowned self] contents in
      var counts: [Int: Int] = [:]
      for case (let holder, let content?) in zip(holders, contents) {
        let found = holder.diskReaders[document, default: DiskReader()].witnesses(in: content) ?? []
        for number in found { counts[number, default: 0] += 1 }
      }
      // Also what was taken away in between, by a restoration that was under way.
      let excused = witnesses[document]?.excused ?? []
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
  /// What a process finds that opens the store; nil where that fails. To be called of a copy.
  fileprivate func content(of document: DocumentID) async -> RecoveredDocument? {
    guard (try? await open()) != nil else { return nil }
    return try? await recover(document)
  }
}
