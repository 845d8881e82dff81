import Foundation

/// A conversation as one peer had it, byte by byte: a file of Protocol/recorded, whose README.md says what its lines
/// mean.
struct Conversation {
  enum Verb: String {
    /// To the other peer alone, and to whoever subscribed.
    case says, publishes
    /// From the other peer, and what that published.
    case hears, receives
  }

  struct Step {
    /// Since both peers began.
    var at: Duration
    var verb: Verb
    var bytes: [UInt8]
  }

  struct Unreadable: Error {
    var line: Substring
  }

  /// What happened and how it ended, for people.
  var about: String
  var steps: [Step] = []
  /// Of the document that both had in the end.
  var digest = ""

  // MARK: Files

  static let folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Protocol/recorded")

  init(about: String) {
    self.about = about
  }

  init(named name: String) throws {
    let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
    self.init(about: "")
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ")
      if words.count == 2, words[0] == "digest" {
        digest = String(words[1])
      } else if words.count == 3, let at = Int(words[0]), let verb = Verb(rawValue: String(words[1])) {
        steps.append(Step(at: .milliseconds(at), verb: verb, bytes: try Self.bytes(words[2], of: line)))
      } else {
        throw Unreadable(line: line)
      }
    }
  }

  private static func bytes(_ digits: Substring, of line: Substring) throws -> [UInt8] {
    let digits = Array(digits.utf8)
    return try stride(from: 0, to: digits.count, by: 2).map { place in
      let pair = String(decoding: digits[place..<min(place + 2, digits.count)], as: UTF8.self)
      guard pair.count == 2, let byte = UInt8(pair, radix: 16) else { throw Unreadable(line: line) }
      return byte
    }
  }

  func write(as name: String) throws {
    let lines = steps.map { step in
      let digits = step.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      return "\(Int(step.at / .milliseconds(1))) \(step.verb.rawValue) \(digits)"
    }
    let text = (["# \(about)"] + lines + ["digest \(digest)"]).joined(separator: "\n") + "\n"
    try text.write(to: Self.folder.appending(path: name), atomically: true, encoding: .utf8)
  }
}
