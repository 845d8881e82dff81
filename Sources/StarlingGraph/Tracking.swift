/// Whether an observer of the graph runs here and its reads are noted, so that no other way of noting them is
/// needed.
public var isTracking: Bool { thisThread().reader != nil }

/// Runs `body` with its reads noted for nobody.
public func untracked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
  try thisThread().reading(for: nil, body)
}
