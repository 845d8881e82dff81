/// Something for each of several connections, ascending by their handles, so that one seed gives one run. Nothing is
/// hashed: connections are few, and asked about with every frame.
///
/// ```
///   handle    1      4      7       given ever greater: the newest stands last
///   value   [ a ]  [ b ]  [ c ]
/// ```
public struct HandleTable<Value> {
  public private(set) var handles: [PeerHandle] = []
  /// In the order of the handles.
  public private(set) var values: ContiguousArray<Value> = []

  public init() {}

  public var isEmpty: Bool { handles.isEmpty }
  public var count: Int { handles.count }

  // MARK: One

  /// - Complexity: O(log *n*)
  public subscript(handle: PeerHandle) -> Value? { place(of: handle).map { values[$0] } }

  /// Where the handle's value stands, until one is inserted or removed; nil for one that has none.
  ///
  /// - Complexity: O(log *n*)
  public func place(of handle: PeerHandle) -> Int? {
    let place = insertionPlace(of: handle)
    return place < handles.count && handles[place] == handle ? place : nil
  }

  public subscript(at place: Int) -> Value {
    get { values[place] }
    _modify { yield &values[place] }
  }

  /// Whether all values are so, each looked at where it stands: a loop over `values` copies each, with all it owns.
  func allSatisfy(_ isSo: (UnsafePointer<Value>) -> Bool) -> Bool {
    values.withUnsafeBufferPointer { values in
      values.indices.allSatisfy { isSo(values.baseAddress! + $0) }
    }
  }

  /// Alters what stands there; nothing where nothing does.
  ///
  /// - Complexity: O(log *n*)
  public mutating func update(_ handle: PeerHandle, _ alter: (inout Value) -> Void) {
    if let place = place(of: handle) { alter(&values[place]) }
  }

  /// Takes the place of what stood there.
  ///
  /// - Complexity: O(*n*); O(log *n*) for one that has a value, or is greater than all.
  public mutating func set(_ value: Value, for handle: PeerHandle) {
    let place = insertionPlace(of: handle)
    if place < handles.count, handles[place] == handle {
      values[place] = value
    } else {
      handles.insert(handle, at: place)
      values.insert(value, at: place)
      checkInvariants()
    }
  }

  /// - Returns: what stood there.
  /// - Complexity: O(*n*)
  @discardableResult
  public mutating func remove(_ handle: PeerHandle) -> Value? {
    guard let place = place(of: handle) else { return nil }
    handles.remove(at: place)
    return values.remove(at: place)
  }

  /// The place of the first handle that is not less.
  private func insertionPlace(of handle: PeerHandle) -> Int {
    var (low, high) = (0, handles.count)
    while low < high {
      let middle = (low + high) / 2
      if handles[middle] < handle { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func checkInvariants() {
    assert(handles.count == values.count)
    assert(zip(handles, handles.dropFirst()).allSatisfy { $0 < $1 }, "Handles out of order.")
  }
}

extension HandleTable: Sendable where Value: Sendable {}
