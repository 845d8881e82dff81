extension ObjectID {
  /// The object that stands under `key` of `parent` as a container of `kind`: one id for all who
  /// derive it, whenever and wherever they do (Protocol/merge.md, "Objects").
  public static func derived(parent: ObjectID, key: Key, kind: Kind) -> ObjectID {
    var hasher = SipHash(key: SipHash.Key("Starling objects"))
    hasher.combine(parent.high)
    hasher.combine(parent.low)
    hasher.combine(kind.rawValue)
    // The key comes last, so that it needs no length.
    switch key {
    case .name(var name):
      hasher.combine(0 as UInt8)
      name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .integer(let integer):
      hasher.combine(1 as UInt8)
      hasher.combine(UInt64(bitPattern: integer))
    case .bytes(let bytes):
      hasher.combine(2 as UInt8)
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    case .element(let dot):
      hasher.combine(3 as UInt8)
      hasher.combine(dot.replica.rawValue)
      hasher.combine(dot.counter)
    }
    let (first, second) = hasher.finish()
    return ObjectID(high: first, low: second | 1 << 63)
  }
}
