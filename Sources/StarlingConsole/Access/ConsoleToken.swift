import Foundation

/// What the link of the console carries and nobody else knows: 32 random bytes as 43 characters.
public struct ConsoleToken: Sendable, Equatable {
  let text: String

  init(using generator: inout some RandomNumberGenerator) {
    var bytes: [UInt8] = []
    for _ in 0..<4 { withUnsafeBytes(of: generator.next() as UInt64) { bytes.append(contentsOf: $0) } }
    text = Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }

  /// Nil for what is no token.
  init?(_ text: String) {
    let allowed = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard allowed, text.utf8.count == 43 else { return nil }
    self.text = text
  }

  /// Whether it is the same, in a time that tells nothing of how much of it is.
  func matches(_ other: String) -> Bool {
    let (own, given) = (Array(text.utf8), Array(other.utf8))
    var difference = UInt8(own.count == given.count ? 0 : 1)
    for (place, byte) in own.enumerated() { difference |= byte ^ (place < given.count ? given[place] : 0) }
    return difference == 0
  }

  /// The token that a daemon keeps in its directory, so that a page finds it again after a restart; made where there is
  /// none. Only its owner can read the file; to remove it makes the next start print another link.
  ///
  /// - Throws: where the file cannot be written.
  public static func kept(in directory: String) throws -> ConsoleToken {
    let path = directory + "/console-token"
    if let data = FileManager.default.contents(atPath: path),
      let token = ConsoleToken(String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    {
      return token
    }
    var generator = SystemRandomNumberGenerator()
    let token = ConsoleToken(using: &generator)
    try? FileManager.default.removeItem(atPath: path)
    guard
      FileManager.default.createFile(
        atPath: path, contents: Data((token.text + "\n").utf8), attributes: [.posixPermissions: 0o600])
    else { throw ConsoleError("The console's token cannot be written to '\(path)'.") }
    return token
  }
}

/// Why the console does not begin.
public struct ConsoleError: Error, Sendable, CustomStringConvertible {
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
