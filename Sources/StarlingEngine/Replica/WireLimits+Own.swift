import StarlingWire

extension WireLimits {
  /// For what this store wrote itself: whatever it accepted, it reads back, also where the limits were
  /// others when it was written.
  static let own: WireLimits = {
    var limits = WireLimits()
    limits.frameByteCountMax = 1 << 40
    limits.snapshotByteCountMax = 1 << 40
    limits.snapshotEntryCountMax = 1 << 40
    limits.operationCountMax = 1 << 40
    limits.definitionCountMax = 1 << 40
    limits.dotCountMax = 1 << 40
    limits.keyByteCountMax = 1 << 40
    limits.valueByteCountMax = 1 << 40
    limits.textByteCountMax = 1 << 40
    limits.nestingDepthMax = 1 << 20
    return limits
  }()
}
