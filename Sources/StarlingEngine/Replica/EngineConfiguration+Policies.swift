import StarlingSession

// What the configuration says to the values that decide.
extension EngineConfiguration {
  var pipeline: LogPipeline.Policy {
    LogPipeline.Policy(
      compaction: history.compaction(checkpointByteCountMin: checkpointByteCountMin),
      backlogByteCountMax: backlogByteCountMax, retryPauses: logRetryPauses, isRetried: onLogFailure == .retry)
  }
}

extension EngineConfiguration.History {
  fileprivate func compaction(checkpointByteCountMin: Int) -> Compaction.Policy {
    switch self {
    case .everything, .days: Compaction.Policy(checkpointByteCountMin: checkpointByteCountMin)
    case .stateOnly(let byteCountMin): Compaction.Policy(foldByteCountMin: byteCountMin)
    }
  }
}
