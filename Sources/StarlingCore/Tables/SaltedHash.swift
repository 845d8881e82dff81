// Hashes for the tables of one process. They cost a few nanoseconds where `Hasher` costs tens, and like
// `Hasher` they are salted: the salt differs from run to run, so that nobody far away can prepare
// names that all fall into one bucket. No result of them leaves the process.

/// A salt of this run.
package func makeSalt() -> UInt64 {
  var hasher = Hasher()
  hasher.combine(0x5354_4152_4c49_4e47)
  return UInt64(bitPattern: Int64(hasher.finalize()))
}

/// Spreads a word over 64 bits; different words have different results (the finalizer of splitmix64).
@inline(__always)
func spread(_ word: UInt64, salt: UInt64) -> UInt64 {
  var word = (word ^ salt) &* 0x9e37_79b9_7f4a_7c15
  word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
  word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
  return word ^ word >> 31
}

@inline(__always)
func spread(_ first: UInt64, _ second: UInt64, salt: UInt64) -> UInt64 {
  spread(second, salt: spread(first, salt: salt))
}

/// Texts and bytes, sixteen at a time; the last words overlap those before them, or are padded.
@inline(__always)
func spread(_ bytes: UnsafeRawBufferPointer, salt: UInt64) -> UInt64 {
  func word(_ offset: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
  func half(_ offset: Int) -> UInt64 { UInt64(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
  let count = bytes.count
  var hash = salt ^ UInt64(truncatingIfNeeded: count)
  var offset = 0
  while offset + 16 < count {
    hash = spread(word(offset), word(offset + 8), salt: hash)
    offset += 16
  }
  switch count {
  case 8...: return spread(word(max(0, min(offset, count - 16))), word(count - 8), salt: hash)
  case 4...: return spread(half(0) << 32 | half(count - 4), salt: hash)
  case 1...:
    return spread(UInt64(bytes[0]) << 16 | UInt64(bytes[count / 2]) << 8 | UInt64(bytes[count - 1]), salt: hash)
  default: return spread(0, salt: hash)
  }
}

@inline(__always)
package func spread(_ id: ObjectID, salt: UInt64) -> UInt64 { spread(id.high, id.low, salt: salt) }

package func spread(_ key: Key, salt: UInt64) -> UInt64 {
  switch key {
  case .integer(let integer):
    return spread(UInt64(bitPattern: integer), salt: salt)
  case .name(let name):
    if let hash = name.utf8.withContiguousStorageIfAvailable({ spread(UnsafeRawBufferPointer($0), salt: ~salt) }) {
      return hash
    }
    return spread(.bytes(Array(name.utf8)), salt: salt)
  case .bytes(let bytes):
    return bytes.withUnsafeBytes { spread($0, salt: ~salt) }
  case .element(let dot):
    return spread(dot.replica.rawValue, dot.counter, salt: salt)
  }
}
