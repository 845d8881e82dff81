#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How many elements two arrays have in common at their ends.
///
/// Arrays that share their storage are equal. Elements of equal bytes are equal values, whatever their type is: so what
/// a write left alone is passed over at the speed of memory, and only elements whose bytes differ are compared.
///
/// ```
///   old   a b c d e f g h
///   new   a b c x e f g h     memcmp: equal to c │ c, x: compared │ from the back: equal to e
/// ```
enum CommonEnds {
  static func prefix<Element>(_ old: [Element], _ new: [Element], isSame: (Element, Element) -> Bool) -> Int {
    let count = min(old.count, new.count)
    let stride = MemoryLayout<Element>.stride
    return withElements(of: old, new) { old, new in
      if old == new || MemoryLayout<Element>.size == 0 { return count }
      var place = 0
      while place < count {
        let (left, right) = (UnsafeRawPointer(old + place), UnsafeRawPointer(new + place))
        guard let offset = Bytes.firstDifference(left, right, count: (count - place) * stride) else { return count }
        place += offset / stride
        guard isSame(old[place], new[place]) else { return place }
        place += 1
      }
      return count
    }
  }

  /// - Parameter start: so many elements at the front are not looked at.
  static func suffix<Element>(
    _ old: [Element], _ new: [Element], from start: Int, isSame: (Element, Element) -> Bool
  ) -> Int {
    let count = min(old.count, new.count) - start
    let stride = MemoryLayout<Element>.stride
    let (oldEnd, newEnd) = (old.count, new.count)
    return withElements(of: old, new) { old, new in
      if MemoryLayout<Element>.size == 0 { return count }
      var passed = 0
      while passed < count {
        let (left, right) = (UnsafeRawPointer(old + (oldEnd - passed)), UnsafeRawPointer(new + (newEnd - passed)))
        guard let offset = Bytes.lastDifference(left, right, count: (count - passed) * stride) else { return count }
        passed += offset / stride
        guard isSame(old[oldEnd - passed - 1], new[newEnd - passed - 1]) else { return passed }
        passed += 1
      }
      return count
    }
  }

  private static func withElements<Element>(
    of old: [Element], _ new: [Element], _ body: (UnsafePointer<Element>, UnsafePointer<Element>) -> Int
  ) -> Int {
    old.withUnsafeBufferPointer { old in
      new.withUnsafeBufferPointer { new in
        guard let old = old.baseAddress, let new = new.baseAddress else { return 0 }
        return body(old, new)
      }
    }
  }
}

/// Compares memory a block at a time.
private enum Bytes {
  private static let blockByteCount = 1 << 14

  /// The first byte that differs.
  static func firstDifference(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, count: Int) -> Int? {
    var start = 0
    while start < count {
      var length = min(blockByteCount, count - start)
      if memcmp(left + start, right + start, length) == 0 {
        start += length
        continue
      }
      while length > 1 {
        let half = length / 2
        if memcmp(left + start, right + start, half) == 0 {
          start += half
          length -= half
        } else {
          length = half
        }
      }
      return start
    }
    return nil
  }

  /// The same from the back: how many bytes before `leftEnd` and `rightEnd` are equal.
  static func lastDifference(_ leftEnd: UnsafeRawPointer, _ rightEnd: UnsafeRawPointer, count: Int) -> Int? {
    var passed = 0
    while passed < count {
      var length = min(blockByteCount, count - passed)
      if memcmp(leftEnd - passed - length, rightEnd - passed - length, length) == 0 {
        passed += length
        continue
      }
      while length > 1 {
        let half = length / 2
        if memcmp(leftEnd - passed - half, rightEnd - passed - half, half) == 0 {
          passed += half
          length -= half
        } else {
          length = half
        }
      }
      return passed
    }
    return nil
  }
}
