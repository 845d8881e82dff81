import StarlingCore

/// Finds a slot's number by its object and key, with one hash and, as a rule, one probe. A
/// `Dictionary` does the same at three times the cost, and this is what an encoder spends its time on.
///
/// ```
/// buckets:   | hash, number + 1 |  0  | hash, number + 1 | ...     a power of two, half empty
/// ```
struct SlotIndex: Sendable {
  struct Hash: Sendable {
    /// Never 0 in its upper half, which a bucket keeps.
    fileprivate let bits: UInt64
  }

  private var buckets: [UInt64] = [UInt64](repeating: 0, count: 16)
  /// By number, for when the buckets double.
  private var hashes: [Hash] = []
  /// Drawn by the standard library for this process, so that nobody can choose keys that collide.
  private let seed: UInt64

  init() {
    seed = UInt64(bitPattern: Int64(Hasher().finalize()))
  }

  @inline(__always)
  func hash(_ object: ObjectID, _ key: Key) -> Hash {
    var hash = mix(object.high ^ seed, object.low ^ 0x9E37_79B9_7F4A_7C15)
    switch key {
    case .name(var name): hash = name.withUTF8 { mix(bytes: UnsafeRawBufferPointer($0), into: hash) }
    case .integer(let integer): hash = mix(hash ^ UInt64(bitPattern: integer), 0xD6E8_FEB8_6659_FD93)
    case .bytes(let bytes): hash = bytes.withUnsafeBytes { mix(bytes: $0, into: ~hash) }
    case .element(let dot): hash = mix(hash ^ dot.replica.rawValue, dot.counter ^ 0xA076_1D64_78BD_642F)
    }
    return Hash(bits: hash | 1 << 63)
  }

  /// The number among those of equal hash for which `isSame` holds.
  @inline(__always)
  func number(_ hash: Hash, isSame: (Int) -> Bool) -> Int? {
    var place = Int(truncatingIfNeeded: hash.bits) & (buckets.count - 1)
    while buckets[place] != 0 {
      if buckets[place] >> 32 == hash.bits >> 32 {
        let number = Int(buckets[place] & 0xFFFF_FFFF) - 1
        if isSame(number) { return number }
      }
      place = (place + 1) & (buckets.count - 1)
    }
    return nil
  }

  /// Enters the next number: how many were entered before.
  mutating func insert(_ hash: Hash) {
    hashes.append(hash)
    if 2 * hashes.count > buckets.count {
      buckets = [UInt64](repeating: 0, count: 2 * buckets.count)
      for number in hashes.indices { place(number) }
    } else {
      place(hashes.count - 1)
    }
  }

  private mutating func place(_ number: Int) {
    let bits = hashes[number].bits
    var place = Int(truncatingIfNeeded: bits) & (buckets.count - 1)
    while buckets[place] != 0 { place = (place + 1) & (buckets.count - 1) }
    buckets[place] = (bits >> 32) << 32 | UInt64(number + 1)
  }
}

/// Both halves of a 128-bit product, mixed.
@inline(__always)
private func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
  let product = left.multipliedFullWidth(by: right)
  return product.high ^ product.low
}

@inline(__always)
private func mix(bytes: UnsafeRawBufferPointer, into seed: UInt64) -> UInt64 {
  var hash = seed ^ UInt64(bytes.count)
  var offset = 0
  while offset + 8 <= bytes.count {
    hash = mix(hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self), 0xA076_1D64_78BD_642F)
    offset += 8
  }
  var tail: UInt64 = 0
  while offset < bytes.count {
    tail = tail << 8 | UInt64(bytes[offset])
    offset += 1
  }
  return mix(hash ^ tail, 0xE703_7ED1_A0B4_28DB)
}
