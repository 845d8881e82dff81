import StarlingCore

// A log that keeps so many days (`EngineConfiguration.History.days`).
//
// ```
//   log:   snapshot │ old │ old │ old │ young │ young │ ...        writers and readers go on meanwhile
//              └──────── made into ──────┘ a state of the past, beside the engine
//                                          │ then, between two groups: one fold
//          snapshot ─────────────────────► │ young │ young │ ...
// ```
extension ReplicaEngine {
  /// Begins, for each document, to make a state of what is older than the log is to keep.
  func foldWhatIsOld() {
    guard case .days(let days) = configuration.history, logError == nil else { return }
    let (age, overflow) = UInt64(max(0, days)).multipliedReportingOverflow(by: 86_400_000)
    let now = clock.wallMilliseconds()
    guard !overflow, age < now else { return }
    for hosted in documentsInOrder where !hosted.isAging && !hosted.mustFold {
      hosted.isAging = true
      let (reader, id) = (reader(of: hosted.id), hosted.id)
      beginBeside { [weak self] in
        let outcome: Result<StoredSnapshot?, any Error>
        do {
          outcome = .success(try await reader.state(ofChangesBefore: now - age))
        } catch {
          outcome = .failure(error)
        }
        await self?.aged(id, outcome)
      }
    }
  }

  private func aged(_ document: DocumentID, _ outcome: Result<StoredSnapshot?, any Error>) {
    guard phase == .running, let hosted = documents[document] else { return }
    hosted.isAging = false
    switch outcome {
    case .success(let state):
      hosted.agedState = state
      owe(hosted)
      startLogging()
    case .failure(let error):
      // Nothing is lost: the log keeps what it has.
      report(.historyUnreadable(document, error))
    }
  }

  /// A state that stands above the log's snapshot; another fold may have come in between.
  func takeAgedState() -> (HostedDocument, StoredSnapshot)? {
    for hosted in owing {
      guard let state = hosted.agedState else { continue }
      hosted.agedState = nil
      // One that was made before changes were taken back holds them.
      guard hosted.retraction == nil, hosted.handle.version.covers(state.version) else { continue }
      if state.version != hosted.floor, state.version.covers(hosted.floor) { return (hosted, state) }
    }
    return nil
  }

  func fold(_ hosted: HostedDocument, intoAged state: StoredSnapshot) async throws {
    try await log.fold(hosted.id, into: state, keeping: kept(in: hosted))
    commitCount += 1
    counters.folds += 1
    hosted.floor = state.version
    hosted.snapshotByteCount = state.bytes.count
  }
}
