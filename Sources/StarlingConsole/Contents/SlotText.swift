import Foundation
import StarlingCore
import StarlingReplica

// How the page names keys and objects: by their identity, which stays when elements before them come and go.

extension Key {
  /// The form, a colon, and the key.
  var text: String {
    switch self {
    case .name(let name): "n:" + name
    case .integer(let integer): "i:\(integer)"
    case .bytes(let bytes): "b:" + Data(bytes).base64EncodedString()
    case .element(let dot): "e:\(dot)"
    }
  }

  init?(text: String) {
    let body = String(text.dropFirst(2))
    switch text.prefix(2) {
    case "n:": self = .name(body)
    case "i:":
      guard let integer = Int64(body) else { return nil }
      self = .integer(integer)
    case "b:":
      guard let data = Data(base64Encoded: body) else { return nil }
      self = .bytes([UInt8](data))
    case "e:":
      guard let dot = Dot(text: body) else { return nil }
      self = .element(dot)
    default: return nil
    }
  }
}

extension Dot {
  /// Reads what `description` writes.
  init?(text: String) {
    let parts = text.split(separator: ":")
    guard parts.count == 2, let replica = UInt64(parts[0], radix: 16), let counter = UInt64(parts[1]) else {
      return nil
    }
    self.init(ReplicaID(rawValue: replica), counter)
  }
}

extension ObjectID {
  /// 32 hexadecimal digits.
  var text: String { "\(ReplicaID(rawValue: high))\(ReplicaID(rawValue: low))" }

  init?(text: String) {
    guard text.utf8.count == 32, let high = UInt64(text.prefix(16), radix: 16),
      let low = UInt64(text.dropFirst(16), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }
}

extension Kind {
  var text: String {
    switch self {
    case .map: "map"
    case .set: "set"
    case .dictionary: "dictionary"
    case .list: "list"
    case .text: "text"
    case .later5, .later6, .later7: "later\(rawValue)"
    }
  }

  init?(text: String) {
    guard let kind = Kind.known.first(where: { $0.text == text }) else { return nil }
    self = kind
  }
}

extension JSONValue {
  var text: String? { if case .string(let text) = self { text } else { nil } }

  var number: Int? {
    switch self {
    case .integer(let number): Int(exactly: number)
    case .double(let number): Int(exactly: number)
    default: nil
    }
  }

  var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
}

extension String {
  /// At most so many characters, so that one large value does not fill the page.
  func cut(to countMax: Int) -> (text: String, isCut: Bool) {
    guard utf8.count > countMax else { return (self, false) }
    let text = String(prefix(countMax))
    return (text, text.utf8.count < utf8.count)
  }
}
