import StarlingCore

/// How a value begins (Protocol/wire-format.md, "Values"). Short integers and texts, most of what
/// anybody writes, cost one byte beside what they say.
///
/// ```
/// 00iiiiii                      integer 0...63
/// 01nnnnnn n bytes              text of 0...63 bytes
/// 100ddddd dddddddd             integer 64...8255: d + 64, high bits first
/// 1010.... and 1011....         a head of its own, listed below
/// 11......                      refused
/// ```
enum ValueHead {
  static let shortText: UInt8 = 0x40
  static let middleInteger: UInt8 = 0x80
  static let null: UInt8 = 0xA0
  static let no: UInt8 = 0xA1
  static let yes: UInt8 = 0xA2
  static let integer: UInt8 = 0xA3
  static let unsigned: UInt8 = 0xA4
  static let double: UInt8 = 0xA5
  static let text: UInt8 = 0xA6
  static let bytes: UInt8 = 0xA7
  static let json: UInt8 = 0xA8
  static let date: UInt8 = 0xA9
  static let object: UInt8 = 0xAA
  static let derived: UInt8 = 0xAB
  static let reference: UInt8 = 0xAC
  /// What later versions add comes as a tag and a length, so that this one can carry it.
  static let unknown: UInt8 = 0xBF

  static let shortIntegers: ClosedRange<Int64> = 0...63
  static let middleIntegers: ClosedRange<Int64> = 64...8255
  static let shortTextByteCountMax = 63
}

extension ByteSink where Self: ~Copyable {
  mutating func append(_ value: Value) {
    switch value {
    case .null: append(ValueHead.null)
    case .bool(let value): append(value ? ValueHead.yes : ValueHead.no)
    case .integer(let value): append(integer: value)
    case .unsigned(let value):
      append(ValueHead.unsigned)
      append(varint: value)
    case .double(let value):
      append(ValueHead.double)
      append(fixed64: value.bitPattern)
    case .string(let value): append(text: value)
    case .bytes(let value):
      append(ValueHead.bytes)
      append(counted: value)
    case .json(let value):
      append(ValueHead.json)
      append(counted: value)
    case .date(let value):
      append(ValueHead.date)
      append(fixed64: value.bitPattern)
    case .object(let kind):
      append(ValueHead.object)
      append(kind.rawValue)
    case .derived(let kind):
      append(ValueHead.derived)
      append(kind.rawValue)
    case .reference(let object):
      append(ValueHead.reference)
      append(object)
    case .unknown(let tag, let payload):
      append(ValueHead.unknown)
      append(varint: tag)
      append(counted: payload)
    }
  }

  private mutating func append(integer value: Int64) {
    switch value {
    case ValueHead.shortIntegers: append(UInt8(value))
    case ValueHead.middleIntegers:
      let rest = UInt16(value - ValueHead.middleIntegers.lowerBound)
      append(ValueHead.middleInteger | UInt8(rest >> 8))
      append(UInt8(truncatingIfNeeded: rest))
    default:
      append(ValueHead.integer)
      append(signedVarint: value)
    }
  }

  private mutating func append(text: String) {
    let byteCount = text.utf8.count
    if byteCount <= ValueHead.shortTextByteCountMax {
      append(ValueHead.shortText | UInt8(byteCount))
    } else {
      append(ValueHead.text)
      append(varint: byteCount)
    }
    append(contentsOf: text.utf8)
  }
}

extension Reader {
  mutating func value() throws(WireError) -> Value {
    let start = offset
    let head = try byte()
    switch head {
    case 0...0x3F: return .integer(Int64(head))
    case 0x40...0x7F: return .string(try string(byteCount: Int(head & 0x3F)))
    case 0x80...0x9F:
      let rest = Int64(head & 0x1F) << 8 | Int64(try byte())
      return .integer(rest + ValueHead.middleIntegers.lowerBound)
    default: return try otherValue(head, at: start)
    }
  }

  private mutating func otherValue(_ head: UInt8, at start: Int) throws(WireError) -> Value {
    switch head {
    case ValueHead.null: return .null
    case ValueHead.no: return .bool(false)
    case ValueHead.yes: return .bool(true)
    case ValueHead.integer:
      let value = try signedVarint()
      guard value < 0 || value > ValueHead.middleIntegers.upperBound else {
        throw error(.overlong, "An integer has a shorter spelling", at: start)
      }
      return .integer(value)
    case ValueHead.unsigned:
      let value = try varint()
      guard value > UInt64(Int64.max) else { throw error(.overlong, "An integer has a signed spelling", at: start) }
      return .unsigned(value)
    case ValueHead.double: return .double(Double(bitPattern: try fixed64()))
    case ValueHead.text:
      let count = try byteCount(atMost: limits.valueByteCountMax)
      guard count > ValueHead.shortTextByteCountMax else {
        throw error(.overlong, "A text has a shorter spelling", at: start)
      }
      return .string(try string(byteCount: count))
    case ValueHead.bytes: return .bytes(try bytes(count: byteCount(atMost: limits.valueByteCountMax)))
    case ValueHead.json: return .json(try string(byteCount: byteCount(atMost: limits.valueByteCountMax)))
    case ValueHead.date: return .date(Double(bitPattern: try fixed64()))
    case ValueHead.object: return .object(try kind())
    case ValueHead.derived: return .derived(try kind())
    case ValueHead.reference: return .reference(try objectID())
    case ValueHead.unknown:
      let tag = try varint()
      return .unknown(tag: tag, payload: try bytes(count: byteCount(atMost: limits.valueByteCountMax)))
    default: throw error(.malformed, "No value begins with \(head)", at: start)
    }
  }

  mutating func kind() throws(WireError) -> Kind {
    let start = offset
    let raw = try byte()
    guard let kind = Kind(rawValue: raw) else { throw error(.malformed, "No kind of object is \(raw)", at: start) }
    return kind
  }
}
