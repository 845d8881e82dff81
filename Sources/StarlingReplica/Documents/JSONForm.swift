import StarlingCore

/// What a JSON value is to become where nothing says so yet, or another kind stands.
public enum JSONForm: String, Sendable, CaseIterable {
  /// What a property of that type is in a document; `json` is a `Codable` value whole, `map` a model.
  case bool, integer, double, string, date, bytes, json, counter, text, map, dictionary, set, list

  var kind: Kind? {
    switch self {
    case .map: .map
    case .dictionary: .dictionary
    case .set: .set
    case .list: .list
    case .text: .text
    default: nil
    }
  }

  /// For people.
  var noun: String {
    switch self {
    case .bool: "true or false"
    case .integer: "an integer"
    case .json: "JSON"
    case .bytes: "bytes"
    case .double, .string, .date, .counter, .text, .map, .dictionary, .set, .list: "a \(rawValue)"
    }
  }
}

extension Value {
  /// Nil for null, which says nothing of what may take its place, and for what JSON cannot say.
  var form: JSONForm? {
    switch self {
    case .bool: .bool
    case .integer, .unsigned: .integer
    case .double: .double
    case .string: .string
    case .bytes: .bytes
    case .json: .json
    case .date: .date
    case .null, .object, .derived, .reference, .unknown: nil
    }
  }
}
