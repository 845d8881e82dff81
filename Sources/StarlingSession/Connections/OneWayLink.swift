public import StarlingCore

/// A connection that could be made in one direction only, so that the changes of both ends go over it.
public struct OneWayLink: Sendable, Hashable, CustomStringConvertible {
  /// The store at the other end.
  public var store: StoreID
  /// Whether this replica made the connection, and the other end could not.
  public var isDialled: Bool
  /// The endpoints at which the end that made the connection was to be dialled.
  public var endpoints: [String]

  public init(store: StoreID, isDialled: Bool, endpoints: [String]) {
    self.store = store
    self.isDialled = isDialled
    self.endpoints = endpoints
  }

  public var description: String {
    let place = endpoints.joined(separator: ", ")
    return isDialled
      ? "store \(store) cannot dial this replica at \(place); changes go to it over the connection made from here"
      : "store \(store) cannot be dialled at \(place); its changes come over the connection that it made"
  }
}
