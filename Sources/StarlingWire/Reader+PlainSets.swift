import StarlingCore

// Looking ahead at plain sets, and reading values again that were passed. Of what is at fault, whoever reads it says
// why.

extension Reader {
  /// Whether so many operations come that are plain sets in slots of objects that are known, and well spelled.
  ///
  /// - Complexity: O(their bytes); nothing is allocated but for values of rare kinds.
  mutating func plainSetsCome(_ count: Int, objectCount: Int) -> Bool {
    var ahead = Lookahead(buffer, offset)
    for _ in 0..<count {
      guard let head = ahead.byte(), head & Lookahead.notPlain == 0,
        head & OperationHead.priorMask <= OperationHead.tablePrior
      else { return false }
      switch head & OperationHead.slotMask {
      case OperationHead.slotNumber:
        guard ahead.number(&self) != nil else { return false }
      case OperationHead.slotNext:
        break
      case OperationHead.slotNew:
        guard let object = ahead.number(&self), object < objectCount, ahead.passTableKey(&self) else { return false }
      default:
        return false
      }
      guard ahead.passValue(&self) else { return false }
    }
    return true
  }

  /// A change of one plain set in a slot that is known, spelled by what came before it.
  struct Follower {
    let slot: Int
    let replacesLast: Bool
    let stamp: Stamp
    let valueOffset: Int
  }

  /// What comes, if that is a follower. Only looks, and not at the value but for its kind.
  ///
  /// - Parameters:
  ///   - slot: the one that came last, as the stamp.
  ///   - slotCount: how many are known.
  @inline(__always)
  func followerComes(behind slot: Int, _ stamp: Stamp, slotCount: Int) -> Follower? {
    var ahead = Lookahead(buffer, offset)
    guard let flags = ahead.byte(), let stamp = ahead.stamp(spelled: flags, after: stamp), let head = ahead.byte(),
      head & Lookahead.notPlain == 0, head & OperationHead.priorMask <= OperationHead.tablePrior
    else { return nil }
    let number: Int
    switch head & OperationHead.slotMask {
    case OperationHead.slotNumber:
      guard let given = ahead.shortNumber() else { return nil }
      number = given
    case OperationHead.slotNext: number = slot &+ 1
    default: return nil
    }
    // The value; either of these may bring an object here.
    guard number < slotCount, ahead.offset < buffer.count, buffer[ahead.offset] != ValueHead.object,
      buffer[ahead.offset] != ValueHead.unknown
    else { return nil }
    return Follower(
      slot: number, replacesLast: head & OperationHead.priorMask == OperationHead.tablePrior, stamp: stamp,
      valueOffset: ahead.offset)
  }

  /// Passes a value that was looked at before.
  @inline(__always)
  mutating func skipValue() throws(WireError) {
    var ahead = Lookahead(buffer, offset)
    guard ahead.passValue(&self, knownToBeWell: true) else { throw error(.malformed, "No plain value begins here") }
    offset = ahead.offset
  }

  /// The value that begins at `place`, which was looked at before. The reader stays where it is.
  @inline(__always)
  mutating func value(at place: Int) -> Value {
    let here = offset
    offset = place
    defer { offset = here }
    do throws(WireError) {
      return try value()
    } catch {
      preconditionFailure("A value that was looked at does not read: \(error)")
    }
  }
}

/// Goes through bytes without saying what is wrong with them.
private struct Lookahead {
  /// What the head of a plain set has none of.
  static let notPlain = SequenceHead.flag | OperationHead.actionMask | OperationHead.clearing

  let buffer: UnsafeRawBufferPointer
  var offset: Int

  @inline(__always)
  init(_ buffer: UnsafeRawBufferPointer, _ offset: Int) {
    self.buffer = buffer
    self.offset = offset
  }

  @inline(__always)
  mutating func byte() -> UInt8? {
    guard offset < buffer.count else { return nil }
    defer { offset &+= 1 }
    return buffer[offset]
  }

  @inline(__always)
  mutating func number(_ reader: inout Reader) -> UInt64? {
    let start = offset
    if let number = shortNumber() { return UInt64(number) }
    offset = start
    return read(&reader) { reader throws(WireError) in try reader.varint() }
  }

  /// A number of one byte or two.
  @inline(__always)
  mutating func shortNumber() -> Int? {
    guard let first = byte() else { return nil }
    if first < 0x80 { return Int(first) }
    guard let second = byte(), second < 0x80, second > 0 else { return nil }
    return Int(first & 0x7F) | Int(second) << 7
  }

  /// The stamp of a change that tells nothing of itself but this, if its flags say so.
  @inline(__always)
  mutating func stamp(spelled flags: UInt8, after stamp: Stamp) -> Stamp? {
    switch flags {
    case StampForm.successor: return Stamp(rawValue: stamp.rawValue &+ 1)
    case StampForm.same: return stamp
    case StampForm.laterMillisecond:
      guard let step = shortNumber(), stamp.milliseconds + UInt64(step) <= 0xFFFF_FFFF_FFFF else { return nil }
      return Stamp(rawValue: (stamp.milliseconds + UInt64(step)) << 16)
    default: return nil
    }
  }

  mutating func passTableKey(_ reader: inout Reader) -> Bool {
    switch number(&reader) {
    case TableKeyForm.newName?, TableKeyForm.bytes?:
      guard let count = number(&reader) else { return false }
      return pass(count)
    case TableKeyForm.integer?: return number(&reader) != nil
    case let form?: return form >= TableKeyForm.firstNumber
    case nil: return false
    }
  }

  /// - Parameter knownToBeWell: Whether it has been looked at before.
  @inline(__always)
  mutating func passValue(_ reader: inout Reader, knownToBeWell: Bool = false) -> Bool {
    guard let head = byte() else { return false }
    switch head {
    case 0..<ValueHead.shortText:
      return true
    case ValueHead.shortText..<ValueHead.middleInteger:
      let start = offset
      guard pass(UInt64(head & 0x3F)) else { return false }
      return knownToBeWell || isText(UnsafeRawBufferPointer(rebasing: buffer[start..<offset]))
    case ValueHead.middleInteger..<ValueHead.null:
      return pass(1)
    default:
      offset &-= 1
      return passRareValue(&reader)
    }
  }

  @inline(__always)
  private func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.isASCII || bytes.scalarCount != nil
  }

  @inline(never)
  private mutating func passRareValue(_ reader: inout Reader) -> Bool {
    switch read(&reader, { reader throws(WireError) in try reader.value() }) {
    // Either may bring an object here.
    case .object?, .unknown?, nil: false
    default: true
    }
  }

  @inline(__always)
  private mutating func pass(_ count: UInt64) -> Bool {
    guard count <= UInt64(buffer.count - offset) else { return false }
    offset += Int(count)
    return true
  }

  @inline(never)
  private mutating func read<Result>(
    _ reader: inout Reader, _ body: (inout Reader) throws(WireError) -> Result
  ) -> Result? {
    let here = reader.offset
    defer { reader.offset = here }
    reader.offset = offset
    do throws(WireError) {
      let result = try body(&reader)
      offset = reader.offset
      return result
    } catch {
      return nil
    }
  }
}
