import Foundation
import StarlingCore
import StarlingSession

@testable import StarlingReplica
@testable import StarlingZeroMQ

// What people and tools write: JSON, keys, addresses, names.

extension FuzzedDecoder {
  /// Read, written, and put into a document that another one hears of.
  static let json = FuzzedDecoder(name: "json", byteCountPerByte: 16_384) { bytes in
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue(parsing: bytes)
    } catch {
      try hold((0...bytes.count).contains(error.offset), "\(error) is at byte \(error.offset) of \(bytes.count)")
      return false
    }
    for text in [json.description, json.lines] {
      guard let again = try? JSONValue(parsing: text) else { throw Broken("\(text) is written and cannot be read") }
      try hold(again == json, "\(text) reads otherwise than it was")
    }
    try JSONWriting.check(json)
    return true
  }

  /// The first byte chooses what the text is read as.
  static let keysAndAddresses = FuzzedDecoder(name: "keys-and-addresses", byteCountPerByte: 8192) { bytes in
    var input = InputReader(bytes)
    let choice = input.next() % 6
    let text = String(decoding: input.takeRest(), as: UTF8.self)
    switch choice {
    case 0:
      guard let endpoint = try? LinkEndpoint(text) else { return false }
      try hold((try? LinkEndpoint(endpoint.text)) == endpoint, "\(endpoint.text) is another endpoint than \(text)")
      for channel in LinkEndpoint.Channel.allCases { _ = endpoint.address(of: channel) }
    case 1:
      guard let key = try? AllowedKey(name: "key", text: text, file: "key") else { return false }
      guard let again = try? AllowedKey(name: "key", text: key.text, file: "key") else {
        throw Broken("The file of \(key) cannot be read again: \(key.text)")
      }
      try hold(again.key == key.key && again.role == key.role && again.documents == key.documents, "\(key) is \(again)")
    case 2:
      guard let key = PublicKey(text) else { return false }
      try hold(key.description == text, "\(text) is written as \(key)")
    case 3:
      guard let pattern = DocumentPattern(text) else { return false }
      try hold(pattern.description == text, "\(text) is written as \(pattern)")
    case 4:
      guard let path = DocumentPath(text) else { return false }
      try hold(DocumentPath(path.description) == path, "\(text) is written as \(path)")
    default:
      guard let document = DocumentID(text) else { return false }
      try hold(document.name == text, "\(text) is named \(document.name)")
    }
    return true
  }
}

private enum JSONWriting {
  /// What is loaded over what stands there reads as it was, and merges elsewhere to the same.
  static func check(_ json: JSONValue) throws {
    var document = Document()
    var changes: [Change] = []
    #if DEBUG
      document.checksEveryCall = false
    #endif
    for value in [["a": [1, "x", [:]], "b": "text"], json] as [JSONValue] {
      document.begin(as: ReplicaID(rawValue: 1), now: 1)
      var writer = DocumentWriter(document, isMerging: false)
      do throws(JSONDocumentError) {
        try writer.set(value, at: .root)
      } catch {
        return
      }
      document = writer.tree.document
      if let change = document.commit() { changes.append(change) }
    }
    document.checkInvariants()
    var (other, patch) = (Document(), Patch())
    #if DEBUG
      other.checksEveryCall = false
    #endif
    for change in changes {
      guard (try? other.merge(change, patch: &patch)) == .merged else {
        throw Broken("A change of JSON does not merge")
      }
    }
    try hold(other.digest() == document.digest(), "JSON that merged elsewhere is another state")
    let here = try? DocumentTree(document).value(of: .root)
    let there = try? DocumentTree(other).value(of: .root)
    try hold(here == there, "JSON that merged elsewhere reads otherwise")
  }
}
