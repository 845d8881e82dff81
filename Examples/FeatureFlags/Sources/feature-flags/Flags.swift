import Starling

/// The flags of one service.
@Replicated final class Flags: Sendable {
  /// By name; a flag that was never set is off.
  var enabled: ReplicatedDictionary<String, Bool> = [:]
  /// How often any flag was set, by all instances together.
  var changes: ReplicatedCounter = 0
}
