/// Finds rows by the hash of what they hold: open addressing with linear probing, four bytes a bucket.
///
/// ```
/// bucket (2^k of them):   31            k k-1              0
///                        +---------------+------------------+
///                        | bits of hash  | handle + 1       |      0: empty
///                        +---------------+------------------+
/// ```
///
/// A handle is less than the number of buckets, so it leaves space for bits of the hash that spare
/// most looks at rows that do not match. The rows themselves stay in their table: callers say how
/// to compare one and how to hash one.
package struct HandleIndex: Sendable {
  private var buckets: ContiguousArray<UInt32> = []
  package private(set) var count = 0
  private var handleBits: UInt64 = 0

  package init() {}

  /// How many buckets there are.
  var extent: Int { buckets.count }

  /// The handle whose row `matches`, if there is one.
  @inline(__always)
  package func find(hash: UInt64, where matches: (Int) -> Bool) -> Int? {
    guard count > 0 else { return nil }
    let mask = buckets.count &- 1
    let handleMask = UInt32(truncatingIfNeeded: mask)
    let fragment = fragment(of: hash)
    var place = Int(truncatingIfNeeded: hash) & mask
    while true {
      let bucket = buckets[place]
      if bucket == 0 { return nil }
      if bucket & ~handleMask == fragment {
        let handle = Int(bucket & handleMask) &- 1
        if matches(handle) { return handle }
      }
      place = (place &+ 1) & mask
    }
  }

  /// Makes space for `needed` handles below `needed` at once.
  package mutating func reserve(_ needed: Int, hashOf: (Int) -> UInt64) {
    if (needed + 1) * 8 > buckets.count * 7 { grow(toHold: needed + 1, hashOf: hashOf) }
  }

  /// Whether the handle can be added as it is: at most 7 of 8 buckets are full, and every handle fits into its bits.
  @inline(__always)
  package func hasSpace(for handle: Int) -> Bool {
    (count &+ 1) &* 8 <= buckets.count &* 7 && handle &+ 2 <= buckets.count
  }

  /// Makes space for the handle; `hashOf` tells the hash of any handle that is here.
  package mutating func makeSpace(for handle: Int, hashOf: (Int) -> UInt64) {
    if !hasSpace(for: handle) { grow(toHold: max(count + 1, handle + 2), hashOf: hashOf) }
  }

  /// Adds a handle that is not here, and for which there is space.
  package mutating func insert(_ handle: Int, hash: UInt64) {
    precondition(hasSpace(for: handle), "Handle \(handle) has no space in an index of \(buckets.count) buckets.")
    place(handle, hash: hash)
    count += 1
  }

  /// Adds a handle that is not here; `hashOf` tells the hash of any handle that is.
  package mutating func insert(_ handle: Int, hash: UInt64, hashOf: (Int) -> UInt64) {
    makeSpace(for: handle, hashOf: hashOf)
    insert(handle, hash: hash)
  }

  /// Removes a handle that is here, and moves up those behind it that would no longer be found.
  package mutating func remove(_ handle: Int, hash: UInt64, hashOf: (Int) -> UInt64) {
    let mask = buckets.count - 1
    let handleMask = UInt32(truncatingIfNeeded: mask)
    var hole = Int(truncatingIfNeeded: hash) & mask
    while buckets[hole] & handleMask != UInt32(truncatingIfNeeded: handle + 1) {
      precondition(buckets[hole] != 0, "Handle \(handle) is not in the index.")
      hole = (hole + 1) & mask
    }
    var next = (hole + 1) & mask
    while buckets[next] != 0 {
      let home = Int(truncatingIfNeeded: hashOf(Int(buckets[next] & handleMask) - 1)) & mask
      // Whether `home` lies outside (hole, next], going round.
      if (next - home) & mask >= (next - hole) & mask {
        buckets[hole] = buckets[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    buckets[hole] = 0
    count -= 1
  }

  @inline(__always)
  private func fragment(of hash: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: (hash &>> (32 &+ handleBits)) &<< handleBits)
  }

  private mutating func place(_ handle: Int, hash: UInt64) {
    let mask = buckets.count - 1
    var place = Int(truncatingIfNeeded: hash) & mask
    while buckets[place] != 0 { place = (place + 1) & mask }
    buckets[place] = fragment(of: hash) | UInt32(truncatingIfNeeded: handle + 1)
  }

  private mutating func grow(toHold needed: Int, hashOf: (Int) -> UInt64) {
    let former = buckets
    let formerMask = UInt32(truncatingIfNeeded: former.count - 1)
    var size = max(8, former.count)
    while needed * 8 > size * 7 { size *= 2 }
    handleBits = UInt64(size.trailingZeroBitCount)
    buckets = ContiguousArray(repeating: 0, count: size)
    for bucket in former where bucket != 0 {
      let handle = Int(bucket & formerMask) - 1
      place(handle, hash: hashOf(handle))
    }
  }
}
