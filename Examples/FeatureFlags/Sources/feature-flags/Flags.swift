import Starling

/// The flags of one service.
@Replicated final class Flags: Sendable {
  /// By name; a flag that was never set is off.
  var enabled: ReplicatedDictionary<String, Bool> = [:]
  /// How often any flag was set, by all instances together.
  var changes: ReplicatedCounter = 0
}

extension Flags {
  /// Sets a flag and counts that, as one change.
  func set(_ name: String, to isOn: Bool) {
    withTransaction {
      enabled[name] = isOn
      changes += 1
    }
  }
}
