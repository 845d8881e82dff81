// Names, programs and explanations come from others, who may have put anything into them.
extension StringProtocol {
  /// The text as a terminal or a log may show it: a character that would move the cursor, colour or hide what follows,
  /// begin a line or turn the direction of writing is spelled as JSON spells it, `\u001b`. Texts that have none, and
  /// JSON, mean the same afterwards; to do it twice changes nothing more.
  ///
  /// - Parameters:
  ///   - byteCountMax: past so many bytes the rest is left out, and `…` says so.
  ///   - keepsLines: whether line feeds and tabs stay as they are.
  /// - Complexity: O(`byteCountMax`)
  public func printable(byteCountMax: Int = .max, keepsLines: Bool = false) -> String {
    // Nearly every text is as it may be.
    if utf8.count <= byteCountMax, unicodeScalars.allSatisfy({ !$0.isUnprintable(keepsLines: keepsLines) }) {
      return String(self)
    }
    var shown = ""
    for scalar in unicodeScalars {
      let spelled = scalar.isUnprintable(keepsLines: keepsLines) ? scalar.spelled : String(scalar)
      guard shown.utf8.count + spelled.utf8.count <= byteCountMax else { return shown + "…" }
      shown += spelled
    }
    return shown
  }
}

extension Unicode.Scalar {
  fileprivate func isUnprintable(keepsLines: Bool) -> Bool {
    switch value {
    case 0x20..<0x7F: false
    case 0x09, 0x0A: !keepsLines
    // Control characters; the joiner, by contrast, is within many a word and emoji.
    case 0..<0x20, 0x7F..<0xA0: true
    case 0x200C, 0x200D: false
    // Soft hyphen, and marks that turn the direction of writing or are not seen.
    case 0xAD, 0x61C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB: true
    case 0xE0000...0xE0FFF: true
    default: false
    }
  }

  fileprivate var spelled: String {
    switch value {
    case 0x09: "\\t"
    case 0x0A: "\\n"
    case 0x0D: "\\r"
    default:
      UTF16.encode(self)?.map { unit in
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }.joined() ?? "?"
    }
  }
}
