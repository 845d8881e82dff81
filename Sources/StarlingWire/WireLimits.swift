/// How much a decoder takes from bytes that anybody may have sent. Every count and length is held
/// against these, and against the bytes that are left, before anything is allocated for it
/// (Protocol/wire-format.md, "Limits").
public struct WireLimits: Hashable, Sendable {
  /// Bytes of a message, published frame, batch, payload or set of tables.
  public var frameByteCountMax = 16 << 20
  /// Bytes of a snapshot, which travels in parts; also of what its keys and texts unfold to.
  public var snapshotByteCountMax = 1 << 30
  /// Objects, slots, entries and shares of a snapshot, together.
  public var snapshotEntryCountMax = 1 << 24
  /// Operations in one payload or batch.
  public var operationCountMax = 1 << 20
  /// Object definitions handed out for one payload or batch, each counted with its ancestors.
  public var definitionCountMax = 1 << 20
  /// Dots and version entries in one message, payload or batch.
  public var dotCountMax = 1 << 20
  /// Bytes of one key.
  public var keyByteCountMax = 1 << 16
  /// Bytes of one value.
  public var valueByteCountMax = 16 << 20
  /// Bytes of a text for people: a change's message, an agent, an explanation, an endpoint.
  public var textByteCountMax = 1 << 16
  /// Endpoints in a hello.
  public var endpointCountMax = 64
  /// How many derived objects may stand inside one another.
  public var nestingDepthMax = 64

  public static let standard = WireLimits()

  public init() {}
}
