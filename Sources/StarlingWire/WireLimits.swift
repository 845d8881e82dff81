import StarlingCore

/// How much a decoder takes from bytes that anybody may have sent. Every count and length is held
/// against these, and against the bytes that are left, before anything is allocated for it
/// (Protocol/wire-format.md, "Limits"). What a writer must keep to as well stands in `ChangeLimits`.
public struct WireLimits: Hashable, Sendable {
  /// Bytes of a message, published frame, batch, payload or set of tables; also of the texts of a batch's histories.
  public var frameByteCountMax = ChangeLimits.frameByteCountMax
  /// Bytes of a snapshot, which travels in parts; also of what its keys and texts unfold to.
  public var snapshotByteCountMax = 1 << 30
  /// Objects, slots, entries, shares, runs, elements and marks of a snapshot, together. A writer adds nothing to a
  /// document that has half as many, so that this is passed only if others add as many at the same time.
  public var snapshotEntryCountMax = 2 * ChangeLimits.snapshotEntryCountMax
  /// Operations in one payload or batch, and the values that they insert.
  public var operationCountMax = ChangeLimits.operationCountMax
  /// Object definitions handed out for one payload or batch, each counted with its ancestors.
  public var definitionCountMax = ChangeLimits.definitionCountMax
  /// Dots and version entries in one message, payload or batch.
  public var dotCountMax = 1 << 20
  /// Bytes of one key.
  public var keyByteCountMax = ChangeLimits.keyByteCountMax
  /// Bytes of one value, or of one text that is inserted.
  public var valueByteCountMax = 16 << 20
  /// Bytes of a text for people: a change's message, an agent, an explanation, an endpoint.
  public var textByteCountMax = ChangeLimits.messageByteCountMax
  /// Bytes of a payload of presence, and notices in it.
  public var presenceByteCountMax = 1 << 16
  public var presenceNoticeCountMax = 1024
  /// Endpoints in a hello.
  public var endpointCountMax = 64
  /// How many derived objects may stand inside one another.
  public var nestingDepthMax = ChangeLimits.nestingDepthMax

  public static let standard = WireLimits()

  public init() {}
}
