/// Bytes on their way into an array. They gather on the stack, where one more costs a store: the array, which finds out
/// with each byte whether it is shared and whether there is space, is asked once for all of them.
///
/// ```
/// append(varint: 7) append(value) ... ──► space [ ... ]  ── full, or the end ──► bytes [ ..... ]
/// ```
struct OutputBuffer: ~Copyable {
  private let space: UnsafeMutableBufferPointer<UInt8>
  /// How much of the space is used.
  private var count = 0
  /// What stands before that.
  private var bytes: [UInt8] = []

  /// What a change of a few operations takes, and little enough for any thread's stack.
  private static let capacity = 512

  /// Has `body` write what goes to the end of the array.
  @inline(__always)
  static func appending<Result>(to bytes: inout [UInt8], _ body: (inout OutputBuffer) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { space in
      var output = OutputBuffer(space: space)
      swap(&output.bytes, &bytes)
      let result = body(&output)
      output.flush()
      swap(&output.bytes, &bytes)
      return result
    }
  }

  private init(space: UnsafeMutableBufferPointer<UInt8>) { self.space = space }

  /// Where the next byte goes, counted from the beginning of the array.
  var end: Int { bytes.count + count }

  /// Puts another byte in the place of one that was written.
  @inline(__always)
  mutating func replace(at place: Int, with byte: UInt8) {
    if place < bytes.count { bytes[place] = byte } else { space[place - bytes.count] = byte }
  }

  @inline(never)
  private mutating func flush() {
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: space[..<count]))
    count = 0
  }
}

extension OutputBuffer: ByteSink {
  @inline(__always)
  mutating func append(_ byte: UInt8) {
    if count == space.count { flush() }
    space[count] = byte
    count += 1
  }

  @inline(__always)
  mutating func append(contentsOf added: some Collection<UInt8>) {
    if added.withContiguousStorageIfAvailable({ append(bytes: $0) }) == nil {
      for byte in added { append(byte) }
    }
  }

  private mutating func append(bytes added: UnsafeBufferPointer<UInt8>) {
    if added.count > space.count - count { flush() }
    guard added.count <= space.count else { return bytes.append(contentsOf: added) }
    guard let start = added.baseAddress, let target = space.baseAddress else { return }
    (target + count).update(from: start, count: added.count)
    count += added.count
  }
}
