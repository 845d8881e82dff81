/// Holds changes that may not merge yet (Protocol/merge.md, "The causal gate").
public struct CausalGate: Sendable {
  public init(changeCountMax: Int = 10_000, operationCountMax: Int = 1_000_000) {}
  public var isEmpty: Bool { fatalError() }
  public var count: Int { fatalError() }
  public mutating func receive(
    _ change: Change, into document: inout Document, patch: inout Patch
  ) throws(MergeError) -> Received { fatalError() }
  public mutating func release(into document: inout Document, patch: inout Patch) -> Received { fatalError() }

  public struct Received: Hashable, Sendable {
    public var merged: [Change]
    public var missing: [Dot]
    public var refusals: [MergeError]
  }
}
