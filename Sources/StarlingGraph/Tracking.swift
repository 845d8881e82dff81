/// Whether an observer of the graph runs here and its reads are noted, so that no other way of noting them is
/// needed.
public var isTracking: Bool { thisThread().reader != nil }
