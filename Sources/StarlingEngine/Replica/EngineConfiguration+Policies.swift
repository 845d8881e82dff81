import StarlingSession
import StarlingWire

// What the configuration says to the values that decide.
extension EngineConfiguration {
  func replication(epoch: UInt64, log: any ChangeLog) -> Replication {
    Replication(
      policy(log: log), bound: endpoints, advertised: advertised, epoch: epoch,
      budgets: budgets.budgets(documentCountMax: documentCountMax), writers: writers, equivocations: equivocations,
      pipeline: LogPipeline.Policy(
        compaction: history.compaction(checkpointByteCountMin: checkpointByteCountMin),
        backlogByteCountMax: backlogByteCountMax, retryPauses: logRetryPauses, isRetried: onLogFailure == .retry,
        pause: logPause))
  }

  private func policy(log: any ChangeLog) -> Replication.Policy {
    var policy = Replication.Policy()
    policy.agent = agent
    policy.isRelay = isRelay
    policy.shard = shard
    policy.gossips = gossips
    policy.tier = tier.asTold
    policy.memberSilence = memberSilence
    policy.learnedEndpointLifetime = learnedEndpointLifetime
    policy.discoveryInterval = discoveryInterval
    policy.hasDirectory = discover != nil
    policy.reviewsUnreachable = reviewUnreachable != nil
    policy.mayDial = mayDial
    policy.mayDialBack = mayDialBack
    policy.heartbeat = heartbeat
    policy.acknowledgementInterval = acknowledgementInterval
    policy.trustInterval = trustInterval
    policy.compactionInterval = compactionInterval
    if case .days(let days) = history { policy.historyDays = days }
    policy.memberLifetime = memberLifetime
    policy.documentCountMax = documentCountMax
    policy.openDocumentCountMax = openDocumentCountMax
    policy.mayForget = mayForget
    policy.backlogByteCountMax = backlogByteCountMax
    policy.keepsOwnRecords = keepsOwnChanges && hasAllowlist
    policy.dropsPresence = backpressure == .dropPresence
    policy.leasesReplicaID = leasesReplicaID
    policy.grantsReplicaIDs = grantsReplicaIDs
    policy.hasLifeSigns = lifeSigns != nil
    policy.retractsChanges = log.retractsChanges
    policy.forgetsDocuments = log.forgetsDocuments
    return policy
  }
}

extension EngineConfiguration.History {
  fileprivate func compaction(checkpointByteCountMin: Int) -> Compaction.Policy {
    switch self {
    case .everything, .days: Compaction.Policy(checkpointByteCountMin: checkpointByteCountMin)
    case .stateOnly(let byteCountMin): Compaction.Policy(compactionByteCountMin: byteCountMin)
    }
  }
}

extension EngineConfiguration.Tier {
  fileprivate var asTold: Message.Member.Tier {
    switch self {
    case .either: .either
    case .upper: .upper
    case .lower: .lower
    }
  }
}
