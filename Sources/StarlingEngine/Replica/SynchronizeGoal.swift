/// The peers that `ReplicaEngine.synchronize` waits for.
public enum SynchronizeGoal: Sendable, Hashable {
  /// Every peer that is dialled.
  case everyPeer
  /// One of them: enough where they are daemons of one group, each with what the others have.
  case anyPeer
}
