import StarlingCore
import StarlingEngine
import Testing

extension LogContract {
  /// What a log owes beside, that keeps checkpoints.
  package static let checkpoints: [LogContract] = [
    LogContract("has no checkpoint before one is stored") { home in
      let log = home.log()
      #expect(log.keepsCheckpoints)
      _ = try await log.open()
      #expect(try await log.recoverFromCheckpoint(library) == nil)
      try await log.append([record(ada, 1)])
      #expect(try await log.recoverFromCheckpoint(library) == nil)
      try await log.compact(library, into: snapshot(version([ada: 1])))
      #expect(try await log.recoverFromCheckpoint(library) == nil)
    },

    /// Every interleaving of two and two, with a checkpoint at every version that its records reach.
    LogContract("recovers from a checkpoint and what it does not cover, and hides nothing of the history") { home in
      let log = home.log()
      _ = try await log.open()
      var worlds: [(LogModel, DocumentID, StoredSnapshot)] = []
      var candidates = 0
      for (number, order) in interleavings(2, 2).enumerated() {
        for version in smallVersions(2) where home.takes(&candidates) {
          let world = DocumentID("world \(number) at \(version)")!
          let model = LogModel(records: order.map { $0.moved(to: world) })
          // Some of them come while it is made.
          try await log.append(Array(model.records.prefix(3)))
          guard try await log.extent(of: world).head.covers(version) else { continue }
          try await log.checkpoint(world, at: snapshot(version), recordByteCount: number)
          try await log.append(Array(model.records.suffix(1)))
          worlds.append((model, world, snapshot(version)))
        }
      }
      let later = try home.crashed().log()
      _ = try await later.open()
      for log in [log, later] {
        for (model, world, checkpoint) in worlds {
          try await expectLatest(of: log, in: world, checkpoint, as: model)
          try await expectAnswers(of: log, in: world, as: model, "\(world), beside a checkpoint")
          try await expectContent(of: log, in: world, as: model, "\(world), beside a checkpoint")
          try await expectAnswers(of: log, in: world, as: model, "\(world), recovered")
        }
      }
    },

    LogContract("keeps the latest checkpoint alone, through a clean close") { home in
      let log = home.log()
      _ = try await log.open()
      let order = (1...9 as ClosedRange<UInt64>).map { record(ada, $0) }
      try await log.append(order)
      for counter in [3, 8, 5] as [UInt64] {
        try await log.checkpoint(library, at: snapshot(version([ada: counter])), recordByteCount: 1)
        try await expectLatest(of: log, snapshot(version([ada: counter])), as: LogModel(records: order))
      }
      let large = StoredSnapshot(version: version([ada: 9]), bytes: (0..<700_000).map { UInt8(truncatingIfNeeded: $0) })
      try await log.checkpoint(library, at: large, recordByteCount: 1 << 40)
      #expect(try await log.recoverFromCheckpoint(library)?.history?.byteCount == 1 << 40)
      try await log.close(continuing: ada)
      let later = home.log()
      #expect(try await later.open().replica == ada)
      try await expectLatest(of: later, large, as: LogModel(records: order))
    },

    LogContract("refuses a checkpoint outside its records") { home in
      let log = home.log()
      _ = try await log.open()
      await expectError(.misuse) {
        try await log.checkpoint(library, at: snapshot(version([ada: 1])), recordByteCount: 0)
      }
      try await log.append([record(ada, 1...4), record(bob, 1)])
      try await log.compact(library, into: snapshot(version([ada: 4])))
      for refused in [[ada: 5, bob: 1], [ada: 4, bob: 2], [ada: 3, bob: 1], [bob: 1]] as [[ReplicaID: UInt64]] {
        await expectError(.misuse) {
          try await log.checkpoint(library, at: snapshot(version(refused)), recordByteCount: 0)
        }
      }
      #expect(try await log.recoverFromCheckpoint(library) == nil)
    },

    /// A checkpoint at every version, folded at every version that may be, with and without records that stay.
    LogContract("keeps a checkpoint beside a snapshot below it, and none that the snapshot covers") { home in
      let log = home.log()
      _ = try await log.open()
      var candidates = 0
      for order in [interleavings(2, 2)[1], interleavings(2, 2)[4]] {
        for first in smallVersions(2) {
          for second in smallVersions(2) where home.takes(&candidates) {
            let world = DocumentID("world of \(order[0].replica) at \(first), \(second)")!
            var model = LogModel(records: order.map { $0.moved(to: world) })
            try await log.append(model.records)
            try await log.checkpoint(world, at: snapshot(first), recordByteCount: 7)
            try await log.compact(world, into: snapshot(second))
            model.compact(into: snapshot(second))
            let isKept = first.covers(second) && first != second
            try await expectLatest(of: log, in: world, isKept ? snapshot(first) : nil, as: model)
            try await expectContent(of: log, in: world, as: model, "\(world)")
          }
        }
      }
    },

    LogContract("drops a checkpoint that holds changes which are taken back, and no other") { home in
      for counter in [3, 9] as [UInt64] {
        let log = home.another().log()
        guard log.retractsChanges else { return }
        _ = try await log.open()
        let order = [record(ada, 1...2), record(bob, 1), record(ada, 3), record(ada, 4...9)]
        try await log.append(order)
        try await log.checkpoint(library, at: snapshot(version([ada: counter, bob: 1])), recordByteCount: 0)
        try await log.retract(library, beyond: [ada: 3, carl: 0], appending: [record(dora, 1)])
        let model = LogModel(records: Array(order.prefix(3)) + [record(dora, 1)])
        try await expectLatest(
          of: log, counter == 3 ? snapshot(version([ada: 3, bob: 1])) : nil, as: model)
        try await expectContent(of: log, as: model, "taken back")
      }
    },

    LogContract("forgets the checkpoint with the document") { home in
      let log = home.log()
      guard log.forgetsDocuments else { return }
      _ = try await log.open()
      try await log.append([record(ada, 1), record(ada, 1, in: garden)])
      for document in [library, garden] {
        try await log.checkpoint(document, at: snapshot(version([ada: 1])), recordByteCount: 0)
      }
      try await log.forget(library)
      let later = try home.crashed().log()
      _ = try await later.open()
      #expect(try await later.recoverFromCheckpoint(library) == nil)
      #expect(try await later.recoverFromCheckpoint(garden)?.snapshot == snapshot(version([ada: 1])))
    },

    LogContract("returns members and leases with a checkpoint") { home in
      let log = home.log()
      _ = try await log.open()
      try await log.append([record(ada, 1)])
      let member = LogMember(store: StoreID(rawValue: 1), acknowledged: version([ada: 1]), heardAt: 2)
      let lease = LogLease(replica: bob, number: 1, counter: 2, holder: nil, user: nil)
      try await log.checkpoint(library, at: snapshot(version([ada: 1])), recordByteCount: 0)
      try await log.remember([member], of: library)
      try await log.remember(leases: [lease], of: library)
      let recovered = try await log.recoverFromCheckpoint(library)
      #expect(recovered?.members == [member] && recovered?.leases == [lease])
    },
  ]
}

/// What is recovered from the checkpoint; that there is none, for nil.
private func expectLatest(
  of log: any ChangeLog, in document: DocumentID = library, _ checkpoint: StoredSnapshot?, as model: LogModel
) async throws {
  let recovered = try await log.recoverFromCheckpoint(document)
  #expect(recovered?.snapshot == checkpoint, "\(document)")
  guard let checkpoint, let recovered else { return }
  #expect(recovered.history?.logStart == model.logStart, "\(document)")
  expectEqual(
    recovered.records, model.records.filter { $0.lastCounter > checkpoint.version[$0.replica] },
    "\(document) at \(checkpoint.version)")
}
