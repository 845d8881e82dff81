/// What stands between `ESC [` and the end of a sequence, the end included.
///
/// ```
///   <  0  ;  12  ;  7  M        prefix "<", parameters 0, 12, 7, final M
///      97 :  65  ;  2  u        of parameters with parts the first part counts; `eventType` asks for a second
/// ```
struct SequenceBytes {
  private var bytes: [UInt8] = []
  /// It was longer than any that means something; the rest is not here.
  private(set) var isCut = false

  private static let byteCountMax = 64

  init(_ bytes: [UInt8] = []) {
    self.bytes = bytes
  }

  var isEmpty: Bool { bytes.isEmpty }
  var count: Int { bytes.count }
  var last: UInt8? { bytes.last }

  mutating func append(_ byte: UInt8) {
    if bytes.count < Self.byteCountMax { bytes.append(byte) } else { isCut = true }
  }

  /// The mark of a private sequence.
  var prefix: UInt8? { bytes.first.flatMap { (0x3C...0x3F).contains($0) ? $0 : nil } }

  /// Those left out are 0.
  var parameters: [Int] { parts.map { $0.first ?? 0 } }

  private var parts: [[Int]] {
    let digits = bytes.drop { (0x3C...0x3F).contains($0) }.prefix { (0x30...0x3B).contains($0) }
    return digits.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { parameter in
      parameter.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { Self.number($0) }
    }
  }

  /// Whether the key was released rather than pressed, in the kitty protocol.
  var isRelease: Bool { parts.count > 1 && parts[1].count > 1 && parts[1][1] == 3 }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int {
    digits.reduce(0) { min($0 * 10 + Int($1 & 0x0F), 1 << 24) }
  }
}

extension KeyModifiers {
  /// What xterm adds to a sequence: one more than the sum of the modifiers. Locks say nothing of the key.
  init(parameter: Int) {
    self.init(rawValue: UInt8(truncatingIfNeeded: max(1, parameter) - 1) & 0x0F)
  }
}

extension Key {
  /// A control character: Ctrl with the key whose character it is 64 below, save for those that have keys of their
  /// own.
  init(control byte: UInt8) {
    switch byte {
    case 0x00: self.init(" ", .control)
    case 0x08, 0x7F: self.init(.backspace)
    case 0x09: self.init(.tab)
    case 0x0A, 0x0D: self.init(.enter)
    case 0x1B: self.init(.escape)
    case 0x01...0x1A: self.init(Character(Unicode.Scalar(byte + 0x60)), .control)
    default: self.init(Character(Unicode.Scalar(byte + 0x40)), .control)
    }
  }

  /// The key that a sequence stands for; nil for none.
  ///
  /// ```
  ///   A … H, P … S      arrows, Home, End, F1 … F4; a second parameter gives the modifiers
  ///   n ~               Insert, Delete, Page Up and so on by number
  ///   27 ; m ; c ~      the character c with modifiers m (xterm, modifyOtherKeys)
  ///   c ; m u           the same (CSI u, kitty)
  /// ```
  init?(sequence: SequenceBytes) {
    let parameters = sequence.parameters
    let modifiers = KeyModifiers(parameter: parameters.dropFirst().first ?? 1)
    guard let final = sequence.last, !sequence.isRelease else { return nil }
    switch Unicode.Scalar(final) {
    case "~" where parameters.first == 27:
      guard parameters.count == 3 else { return nil }
      self.init(scalar: parameters[2], modifiers)
    case "~":
      guard let code = Code(number: parameters.first ?? 0) else { return nil }
      self.init(code, modifiers)
    case "u":
      guard let value = parameters.first else { return nil }
      self.init(scalar: value, modifiers)
    default:
      // A report of where the cursor is ends in R as F3 does, but begins with a row.
      guard parameters.count <= 2, (parameters.first ?? 0) <= 1, let code = Code(letter: final) else { return nil }
      self.init(code, modifiers)
    }
  }

  /// A key by the character that it would write alone.
  private init?(scalar value: Int, _ modifiers: KeyModifiers) {
    switch value {
    case 8, 127: self.init(.backspace, modifiers)
    case 9: self.init(.tab, modifiers)
    case 10, 13: self.init(.enter, modifiers)
    case 27: self.init(.escape, modifiers)
    case 57399...57426:
      guard let code = Code(kittyKeypad: value) else { return nil }
      self.init(code, modifiers)
    case 57376...57398: self.init(.function(value - 57376 + 13), modifiers)
    default:
      guard value >= 0x20, !(0xE000...0xF8FF).contains(value), let scalar = Unicode.Scalar(UInt32(value)) else {
        return nil
      }
      let capital = scalar.properties.uppercaseMapping
      guard modifiers.contains(.shift), scalar.properties.isLowercase, capital.count == 1 else {
        self.init(Character(scalar), modifiers)
        return
      }
      self.init(Character(capital), modifiers.subtracting(.shift))
    }
  }
}

extension Key.Code {
  /// The last letter of a sequence.
  init?(letter: UInt8) {
    switch Unicode.Scalar(letter) {
    case "A": self = .up
    case "B": self = .down
    case "C": self = .right
    case "D": self = .left
    case "H": self = .home
    case "F": self = .end
    case "P", "Q", "R", "S": self = .function(Int(letter - UInt8(ascii: "P")) + 1)
    default: return nil
    }
  }

  /// A key of the number pad when it sends its own codes.
  init?(keypad letter: UInt8) {
    switch letter {
    case UInt8(ascii: "M"): self = .enter
    case UInt8(ascii: "I"): self = .tab
    case UInt8(ascii: "X"): self = .character("=")
    case UInt8(ascii: "j")...UInt8(ascii: "y"): self = .character(Character(Unicode.Scalar(letter - 0x40)))
    default: return nil
    }
  }

  /// The number before `~`, as the VT220 had it.
  init?(number: Int) {
    switch number {
    case 1, 7: self = .home
    case 2: self = .insert
    case 3: self = .delete
    case 4, 8: self = .end
    case 5: self = .pageUp
    case 6: self = .pageDown
    // Gaps are where the keyboard had them.
    case 11...15: self = .function(number - 10)
    case 17...21: self = .function(number - 11)
    case 23...26: self = .function(number - 12)
    case 28, 29: self = .function(number - 13)
    case 31...34: self = .function(number - 14)
    default: return nil
    }
  }

  /// The number pad in the kitty protocol.
  fileprivate init?(kittyKeypad value: Int) {
    switch value {
    case 57399...57408: self = .character(Character(Unicode.Scalar(UInt8(value - 57399) + UInt8(ascii: "0"))))
    case 57414: self = .enter
    case 57417: self = .left
    case 57418: self = .right
    case 57419: self = .up
    case 57420: self = .down
    case 57421: self = .pageUp
    case 57422: self = .pageDown
    case 57423: self = .home
    case 57424: self = .end
    case 57425: self = .insert
    case 57426: self = .delete
    case 57409: self = .character(".")
    case 57410: self = .character("/")
    case 57411: self = .character("*")
    case 57412: self = .character("-")
    case 57413: self = .character("+")
    case 57415: self = .character("=")
    case 57416: self = .character(",")
    default: return nil
    }
  }
}

extension MouseReport {
  /// `ESC [ < button ; column ; row M`, or m for a release; columns and rows count from 1.
  ///
  /// ```
  ///   bit   0 1     button (3: none), or direction of the wheel     5   moved
  ///         2 3 4   shift, alt, control                             6   wheel
  /// ```
  init?(_ parameters: [Int], isRelease: Bool) {
    guard parameters.count == 3, parameters[1] > 0, parameters[2] > 0 else { return nil }
    let code = parameters[0]
    let place = CellPoint(column: parameters[1] - 1, row: parameters[2] - 1)
    var modifiers: KeyModifiers = []
    if code & 4 != 0 { modifiers.insert(.shift) }
    if code & 8 != 0 { modifiers.insert(.alt) }
    if code & 16 != 0 { modifiers.insert(.control) }
    self.init(Self.action(code, isRelease: isRelease), at: place, modifiers)
  }

  private static func action(_ code: Int, isRelease: Bool) -> Action {
    if code & 64 != 0, code & 128 == 0 {
      let step = code & 1 == 0 ? -1 : 1
      return code & 2 == 0 ? .wheel(columns: 0, rows: step) : .wheel(columns: step, rows: 0)
    }
    if code & 32 != 0, code & 3 == 3 { return .move }
    let button: Button = code & 128 != 0 ? .other : [.left, .middle, .right, .other][code & 3]
    if code & 32 != 0 { return .drag(button) }
    return isRelease ? .release(button) : .press(button)
  }
}
