import Foundation

/// The values that lead to the screens on a `NavigationStack`, the topmost last; of any types.
///
/// ```swift
/// @State private var path = NavigationPath()
///
/// NavigationStack(path: $path) { RecipeList() }
/// Button("Home") { path = NavigationPath() }
/// ```
public struct NavigationPath: Equatable {
  var values: [AnyHashable] = []

  /// No values: the stack's root.
  public init() {}

  /// The values of a sequence, the topmost last.
  public init<Values: Sequence>(_ elements: Values) where Values.Element: Hashable {
    values = elements.map { AnyHashable($0) }
  }

  /// The values that were encoded.
  public init(_ codable: CodableRepresentation) {
    values = codable.values
  }

  /// How many values there are.
  public var count: Int { values.count }
  /// Whether the stack shows its root.
  public var isEmpty: Bool { values.isEmpty }

  /// Puts a value on top.
  public mutating func append(_ value: some Hashable) {
    values.append(AnyHashable(value))
  }

  /// Takes the topmost values off.
  ///
  /// - Precondition: There are so many.
  public mutating func removeLast(_ count: Int = 1) {
    values.removeLast(count)
  }

  /// The path as it can be stored; nil where one of the values is not `Codable`, or of a type that is private to a file
  /// and so has no name by which it could be found again.
  public var codable: CodableRepresentation? {
    let isStorable = values.allSatisfy { $0.base is any Codable && name(of: type(of: $0.base)) != nil }
    return isStorable ? CodableRepresentation(values: values) : nil
  }

  /// A path that is stored and read again: the name of each value's type, and the value as JSON.
  public struct CodableRepresentation: Codable, Equatable {
    fileprivate let values: [AnyHashable]

    fileprivate init(values: [AnyHashable]) {
      self.values = values
    }

    /// Reads a path.
    ///
    /// - Throws: `DecodingError` where a type is not known in this program, or a value is not one of its type.
    public init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      var values: [AnyHashable] = []
      while !container.isAtEnd {
        let name = try container.decode(String.self)
        let json = try container.decode(String.self)
        guard let type = _typeByName(name) as? any Decodable.Type,
          let value = try JSONDecoder().decode(type, from: Data(json.utf8)) as? any Hashable
        else {
          throw DecodingError.dataCorruptedError(
            in: container, debugDescription: "The type \(name) is no Hashable and Codable type of this program.")
        }
        values.append(AnyHashable(value))
      }
      self.values = values
    }

    /// Writes a path.
    ///
    /// - Throws: what encoding one of the values throws; `EncodingError` where a value's type has no name that could be
    ///   read again.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for value in values {
        guard let encodable = value.base as? any Encodable, let name = name(of: type(of: value.base)) else {
          throw EncodingError.invalidValue(
            value.base, .init(codingPath: container.codingPath, debugDescription: "It cannot be stored."))
        }
        try container.encode(name)
        try container.encode(String(decoding: JSONEncoder().encode(encodable), as: UTF8.self))
      }
    }
  }
}

/// A name by which a type can be found again.
private func name(of type: Any.Type) -> String? {
  _mangledTypeName(type).flatMap { _typeByName($0) == nil ? nil : $0 }
}
