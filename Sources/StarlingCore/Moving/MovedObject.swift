/// What an entry says that puts an object where the entry stands (Protocol/merge.md, "Moving between parents").
///
/// ```
/// value:    unknown(tag 1, payload)          an older reader keeps and sends it on as it came
/// payload:  kind   replica  counter of the object's dot   replica  counter of the place it was moved from
///           1      8        8                             8        8       bytes, little-endian
/// ```
public struct MovedObject: Hashable, Sendable {
  /// The dot of the entry that brought the object into being.
  public var dot: Dot
  public var kind: Kind
  /// The entry at which the mover saw the object.
  public var from: Dot

  public init(_ dot: Dot, _ kind: Kind, from: Dot) {
    self.dot = dot
    self.kind = kind
    self.from = from
  }

  public var object: ObjectID { .assigned(by: dot) }
}

extension Value {
  static let movedTag: UInt64 = 1
  private static let movedByteCount = 33

  /// The value that puts an object where its entry stands.
  public static func moved(_ object: MovedObject) -> Value {
    var payload: [UInt8] = [object.kind.rawValue]
    payload.reserveCapacity(movedByteCount)
    for word in [object.dot.replica.rawValue, object.dot.counter, object.from.replica.rawValue, object.from.counter] {
      withUnsafeBytes(of: word.littleEndian) { payload.append(contentsOf: $0) }
    }
    return .unknown(tag: movedTag, payload: payload)
  }

  /// What it moves; nil for any other value, and for one of this tag that says nothing of the kind.
  public var movedObject: MovedObject? {
    guard case .unknown(Self.movedTag, let payload) = self, payload.count == Self.movedByteCount,
      let kind = Kind(rawValue: payload[0])
    else { return nil }
    func word(_ place: Int) -> UInt64 {
      (0..<8).reduce(0) { $0 | UInt64(payload[1 + 8 * place + $1]) << (8 * UInt64($1)) }
    }
    let dot = Dot(ReplicaID(rawValue: word(0)), word(1))
    let from = Dot(ReplicaID(rawValue: word(2)), word(3))
    guard dot.isOperation, from.isOperation else { return nil }
    return MovedObject(dot, kind, from: from)
  }

  @inline(__always)
  var isUnknown: Bool {
    if case .unknown = self { true } else { false }
  }

  /// Whether an object stands where the entry of this value stands.
  var isPlace: Bool {
    switch self {
    case .object: true
    case .unknown(Self.movedTag, _): movedObject != nil
    default: false
    }
  }
}
