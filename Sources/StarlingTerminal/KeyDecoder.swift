/// Reads what a terminal sends: characters, keys, pastes, the mouse.
///
/// ```
///            text, control characters
///            ┌──────┐
///            ▼      │         ESC            [                   200~
///          ground ──┴───────► escape ───────► sequence ─────────────► paste ── ESC [ 201~ ──► ground
///            ▲                  │ O             │ final byte
///            │                  ├──► single ────┤
///            │                  │ ] P X ^ _     │
///            │                  └──► string ────┤ BEL, ESC \
///            └──────────────────────────────────┘
/// ```
///
/// A sequence is read whole or not at all: one that nobody knows says nothing, and none of its bytes is taken for a
/// key. Bytes may come in any portions. Whatever comes, no more is kept of it than a few hundred bytes, or of a paste
/// than `pasteByteCountMax`.
package struct KeyDecoder: Sendable {
  private enum State {
    case ground
    /// The first bytes of a character in UTF-8.
    case character([UInt8], KeyModifiers)
    case escape
    case sequence(SequenceBytes)
    /// After ESC O, with parameters that some terminals put there.
    case single([UInt8])
    /// A message to a program rather than a key; what came after ESC, and so many bytes more.
    case string(Unicode.Scalar, byteCount: Int, endsWithEscape: Bool)
    case paste
    /// The three bytes of a report of the mouse in the old way, which nobody asked for.
    case oldMouse(byteCount: Int)
    /// The letter of a function key as Linux's console sends it.
    case linuxFunction
  }

  private var state = State.ground
  private var pasted: [UInt8] = []
  private var found: [TerminalInput] = []

  /// A longer paste comes in pieces of about so many bytes.
  package static let pasteByteCountMax = 1 << 16

  /// Of a message that does not end; what follows is read as keys again.
  private static let stringByteCountMax = 4096

  package init() {}

  /// Whether what came last may be a key by itself or the beginning of a sequence. If nothing follows within the time
  /// that the caller allows, `timeOut()` says which key it was.
  package var isUndecided: Bool {
    switch state {
    case .escape: true
    case .sequence(let bytes): bytes.isEmpty
    case .single(let bytes): bytes.isEmpty
    case .string(_, let byteCount, _): byteCount == 0
    default: false
    }
  }

  /// Takes the next bytes.
  ///
  /// - Complexity: O(bytes)
  package mutating func read(_ bytes: some Sequence<UInt8>) -> [TerminalInput] {
    for byte in bytes { read(byte) }
    defer { found = [] }
    return found
  }

  /// Nothing followed in time: an escape stands for itself, and one with another character for Alt with that.
  package mutating func timeOut() -> [TerminalInput] {
    guard isUndecided else { return [] }
    defer { state = .ground }
    switch state {
    case .sequence: return [.key(Key("[", .alt))]
    case .single: return [.key(Key("O", .alt))]
    case .string(let first, _, _): return [.key(Key(Character(first), .alt))]
    default: return [.key(Key(.escape))]
    }
  }

  // MARK: States

  private mutating func read(_ byte: UInt8) {
    switch state {
    case .ground: readGround(byte)
    case .character(let bytes, let modifiers): readCharacter(bytes, modifiers, byte)
    case .escape: readEscape(byte)
    case .sequence(var bytes):
      state = .ground
      if byte < 0x20 { return read(byte) }
      bytes.append(byte)
      if (0x40...0x7E).contains(byte), !(byte == UInt8(ascii: "[") && bytes.count == 1) {
        finish(bytes)
      } else {
        state = bytes.count == 1 && byte == UInt8(ascii: "[") ? .linuxFunction : .sequence(bytes)
      }
    case .single(let bytes): readSingle(bytes, byte)
    case .string(let first, let byteCount, let endsWithEscape): readString(first, byteCount, endsWithEscape, byte)
    case .paste: readPaste(byte)
    case .oldMouse(let byteCount): state = byteCount == 2 ? .ground : .oldMouse(byteCount: byteCount + 1)
    case .linuxFunction:
      state = .ground
      if (UInt8(ascii: "A")...UInt8(ascii: "E")).contains(byte) { press(.function(Int(byte - UInt8(ascii: "A")) + 1)) }
    }
  }

  private mutating func press(_ code: Key.Code, _ modifiers: KeyModifiers = []) {
    found.append(.key(Key(code, modifiers)))
  }

  private mutating func readGround(_ byte: UInt8, _ modifiers: KeyModifiers = []) {
    switch byte {
    case 0x1B: state = .escape
    case 0x00..<0x20, 0x7F:
      let key = Key(control: byte)
      press(key.code, key.modifiers.union(modifiers))
    case 0x20..<0x7F: press(.character(Character(Unicode.Scalar(byte))), modifiers)
    case 0xC2...0xF4: state = .character([byte], modifiers)
    default: press(.character("\u{FFFD}"), modifiers)
    }
  }

  /// A character is taken scalar by scalar: nobody can say whether a mark is still to come.
  private mutating func readCharacter(_ bytes: [UInt8], _ modifiers: KeyModifiers, _ byte: UInt8) {
    guard byte & 0xC0 == 0x80 else {
      state = .ground
      press(.character("\u{FFFD}"))
      return read(byte)
    }
    let bytes = bytes + [byte]
    let byteCount = bytes[0] < 0xE0 ? 2 : bytes[0] < 0xF0 ? 3 : 4
    guard bytes.count == byteCount else { return state = .character(bytes, modifiers) }
    state = .ground
    press(.character(String(decoding: bytes, as: UTF8.self).first ?? "\u{FFFD}"), modifiers)
  }

  private mutating func readEscape(_ byte: UInt8) {
    state = .ground
    let scalar = Unicode.Scalar(byte)
    switch scalar {
    case "[": state = .sequence(SequenceBytes())
    case "O": state = .single([])
    case "]", "P", "X", "^", "_": state = .string(scalar, byteCount: 0, endsWithEscape: false)
    case "\u{1B}":
      press(.escape)
      state = .escape
    default: readGround(byte, .alt)
    }
  }

  private mutating func readSingle(_ bytes: [UInt8], _ byte: UInt8) {
    state = .ground
    switch byte {
    case ..<0x20: read(byte)
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ";"):
      state = .single(bytes.count < 8 ? bytes + [byte] : bytes)
    default:
      let modifiers = SequenceBytes(bytes).parameters.last.flatMap { $0 > 0 ? KeyModifiers(parameter: $0) : nil } ?? []
      if let code = Key.Code(letter: byte) ?? Key.Code(keypad: byte) { press(code, modifiers) }
    }
  }

  private mutating func readString(
    _ first: Unicode.Scalar, _ byteCount: Int, _ endsWithEscape: Bool, _ byte: UInt8
  ) {
    state = .ground
    switch byte {
    case UInt8(ascii: "\\") where endsWithEscape: break
    case _ where endsWithEscape: readEscape(byte)
    case 0x1B: state = .string(first, byteCount: byteCount + 1, endsWithEscape: true)
    // A BEL ends it; another control character means that somebody is typing.
    case ..<0x20: break
    case _ where byteCount < Self.stringByteCountMax:
      state = .string(first, byteCount: byteCount + 1, endsWithEscape: false)
    default: break
    }
  }

  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  private mutating func readPaste(_ byte: UInt8) {
    pasted.append(byte)
    if byte == Self.pasteEnd.last, pasted.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd) {
      pasted.removeLast(Self.pasteEnd.count)
      deliverPaste(pasted.count)
      state = .ground
    } else if pasted.count >= Self.pasteByteCountMax + Self.pasteEnd.count {
      // What is kept back may be the end's beginning, or the first bytes of a character.
      let kept = pasted[(pasted.count - Self.pasteEnd.count)...]
      let boundary = kept.firstIndex { $0 & 0xC0 != 0x80 } ?? kept.startIndex
      deliverPaste(boundary)
    }
  }

  private mutating func deliverPaste(_ byteCount: Int) {
    if byteCount > 0 { found.append(.paste(String(decoding: pasted[..<byteCount], as: UTF8.self))) }
    pasted.removeFirst(byteCount)
  }

  // MARK: Sequences

  private mutating func finish(_ bytes: SequenceBytes) {
    guard !bytes.isCut, let final = bytes.last else { return }
    let parameters = bytes.parameters
    switch (bytes.prefix, Unicode.Scalar(final)) {
    case (UInt8(ascii: "<"), "M"), (UInt8(ascii: "<"), "m"):
      if let report = MouseReport(parameters, isRelease: final == UInt8(ascii: "m")) { found.append(.mouse(report)) }
    case (.some, _): break
    case (nil, "M") where bytes.count == 1: state = .oldMouse(byteCount: 0)
    case (nil, "I"): found.append(.focus(true))
    case (nil, "O"): found.append(.focus(false))
    case (nil, "Z"): press(.tab, KeyModifiers(parameter: parameters.dropFirst().first ?? 1).union(.shift))
    case (nil, "~") where parameters.first == 200:
      state = .paste
      pasted = []
    default: if let key = Key(sequence: bytes) { found.append(.key(key)) }
    }
  }
}
