import StarlingCore
import StarlingSession
import StarlingWire

// States that are made beside the engine for the log, as `Compaction` decides: checkpoints, and states of the past
// where the log keeps so many days (`EngineConfiguration.History.days`).
extension ReplicaEngine {
  // MARK: Checkpoints

  /// Begins one where it is due, or has one stored that is ready. Not by the turns of the log: nothing is to wait for
  /// it.
  func reviewCheckpoint(of open: OpenDocument, isLast: Bool = false) {
    guard let step = replication.pipeline.checkpointStep(of: open.id, isLast: isLast, open.handle.cut) else { return }
    open.checkpointing = begin { [id = open.id] in await $0.perform(step, of: id) }
  }

  private func perform(_ step: Compaction.CheckpointStep, of document: DocumentID) async {
    switch step {
    case .write(let cut):
      let state = await writeDown(cut)
      guard phase == .running else { return }
      replication.pipeline.checkpointWritten(state, of: document)
      if let open = self.document(document) { reviewCheckpoint(of: open) }
    case .store(let state, let recordByteCount):
      do {
        try await log.checkpoint(document, at: state, recordByteCount: recordByteCount)
        replication.counters.checkpoints += 1
        replication.pipeline.checkpointEnded(of: document, isStored: true)
      } catch {
        replication.pipeline.checkpointEnded(of: document, isStored: false)
      }
    }
  }

  /// As the replica closes: the next opening replays nothing then.
  func writeLastCheckpoints() async {
    for open in documentsInOrder {
      await endCheckpoint(of: open)
      reviewCheckpoint(of: open, isLast: true)
      await endCheckpoint(of: open)
    }
  }

  /// Returns once the one that is under way is written down and stored.
  private func endCheckpoint(of open: OpenDocument) async {
    await open.checkpointing?.value
    await open.checkpointing?.value
  }

  // MARK: Aging

  // ```
  //   log:   snapshot │ old │ old │ old │ young │ young │ ...        writers and readers continue
  //              └──────── made into ──────┘ a state of the past, beside the engine
  //                                          │ then, between two groups: one compaction
  //          snapshot ─────────────────────► │ young │ young │ ...
  // ```

  /// Begins, for each document, to make a state of what is older than the log is to keep.
  func compactAgedLogs(before limit: UInt64) {
    for document in replication.pipeline.beginAging() {
      let reader = reader(of: document)
      beginBeside { [weak self] in
        let outcome: Result<StoredSnapshot?, any Error>
        do {
          outcome = .success(try await reader.state(ofChangesBefore: limit))
        } catch {
          outcome = .failure(error)
        }
        await self?.aged(document, outcome)
      }
    }
  }

  private func aged(_ document: DocumentID, _ outcome: Result<StoredSnapshot?, any Error>) {
    guard phase == .running, self.document(document) != nil else { return }
    replication.pipeline.aged(document, try? outcome.get())
    // Nothing is lost: the log keeps what it has.
    if case .failure(let error) = outcome { report(.historyUnreadable(document, error)) }
    startLogging()
  }
}
