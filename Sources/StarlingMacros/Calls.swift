/// What the accessors of a property call.
///
/// For the types that most properties have, functions that are declared once (`ModelState+Plain.swift`). For any other
/// the compiler finds the coding among two dozen, twice a property.
enum Calls {
  /// The functions whose names end in the word: `Value` for `setValue` and `finishValue`.
  case plain(String)
  /// `set` and `finish`, with what the function of that name finds for the storage.
  case coded(by: String)

  init(of property: Property) {
    let plain = property.knownType.flatMap { Self.plainTypes[$0.filter { $0 != " " }] }
    switch (property.role, plain) {
    case (.local, _?): self = .plain("Local")
    case (.local, nil): self = .coded(by: "StarlingModel._Replicated.local")
    case (_, let word?): self = .plain(word)
    case (_, nil): self = .coded(by: "StarlingModel._Replicated.coding")
    }
  }

  /// By type, without spaces.
  private static let plainTypes: [String: String] = {
    var words = ["Set<String>": "Members", "Set<Int>": "Members"]
    let values = ["String", "Bool", "Int", "Double"]
    for value in values {
      words[value] = "Value"
      words[value + "?"] = "Value"
      words["[\(value)]"] = "Elements"
      for key in ["String", "Int"] { words["[\(key):\(value)]"] = "Entries" }
    }
    return words
  }()

  /// The call that reads the storage of a property.
  func get(_ storage: String, _ id: String) -> String {
    switch self {
    case .plain: "_$model.read(\(storage), \(id), self)"
    case .coded: "_$model.get(\(storage), \(id), self)"
    }
  }

  /// The call that assigns `newValue`.
  func set(_ storage: String, _ id: String) -> String {
    switch self {
    case .plain(let word): "_$model.set\(word)(\(storage), \(id), self, newValue)"
    case .coded(let function): "_$model.set(\(storage), \(id), self, newValue, \(function)(\(storage)))"
    }
  }

  /// The call that ends the in-place mutation `edit`.
  func finish(_ storage: String, _ id: String) -> String {
    switch self {
    case .plain(let word): "_$model.finish\(word)(edit, \(storage), \(id), self)"
    case .coded(let function): "_$model.finish(edit, \(storage), \(id), self, \(function)(\(storage)))"
    }
  }

  /// The call that hands the storage to a visitor.
  func visit(_ storage: String) -> String {
    switch self {
    case .plain(let word): "visitor.visit\(word)(\(storage))"
    case .coded(let function): "visitor.visit(\(storage), \(function)(\(storage)))"
    }
  }
}
