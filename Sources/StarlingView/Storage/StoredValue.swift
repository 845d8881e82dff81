import Foundation
import StarlingBinding

/// A value as a store keeps it.
struct StoredValueCoding<Value>: @unchecked Sendable {
  // Sendable: the closures capture nothing but types.
  let encode: (Value) -> String?
  let decode: (String) -> Value?
}

extension StoredValueCoding where Value: Codable {
  /// As JSON, but for texts, which stand as they are.
  static var codable: StoredValueCoding {
    StoredValueCoding(
      encode: { value in
        if let text = value as? String { return text }
        return (try? JSONEncoder().encode(Wrapped(value: value))).map { String(decoding: $0.dropOuter, as: UTF8.self) }
      },
      decode: { text in
        if Value.self == String.self { return text as? Value }
        return try? JSONDecoder().decode(Wrapped<Value>.self, from: Data("{\"value\":\(text)}".utf8)).value
      })
  }
}

extension StoredValueCoding where Value: RawRepresentable, Value.RawValue: Codable {
  static var raw: StoredValueCoding {
    let coding = StoredValueCoding<Value.RawValue>.codable
    return StoredValueCoding(
      encode: { coding.encode($0.rawValue) }, decode: { coding.decode($0).flatMap(Value.init(rawValue:)) })
  }
}

extension StoredValueCoding {
  /// Nil is nothing in the store.
  static func optional<Wrapped>(_ coding: StoredValueCoding<Wrapped>) -> StoredValueCoding where Value == Wrapped? {
    StoredValueCoding(encode: { $0.flatMap(coding.encode) }, decode: { coding.decode($0) })
  }
}

/// JSON needs something around a number.
private struct Wrapped<Value: Codable>: Codable {
  let value: Value
}

extension Data {
  /// `{"value":X}` without what is around `X`.
  fileprivate var dropOuter: Data { dropFirst(#"{"value":"#.utf8.count).dropLast() }
}

/// A value in a store, as a property wrapper holds it.
final class StoredValue<Value>: @unchecked Sendable {
  // Sendable: immutable; the store says itself that it may be used from anywhere.
  private let key: String
  private let store: any ValueStore
  private let fallback: Value
  private let coding: StoredValueCoding<Value>

  init(_ key: String, in store: any ValueStore, default fallback: Value, _ coding: StoredValueCoding<Value>) {
    self.key = key
    self.store = store
    self.fallback = fallback
    self.coding = coding
  }

  var value: Value {
    guard let text = store.text(for: key) else { return fallback }
    if let value = coding.decode(text) { return value }
    ViewDiagnostics.report(
      .unreadableValue,
      "What is stored under '\(key)' is no \(Value.self); the default is shown, what is stored is kept.")
    return fallback
  }

  func store(_ value: Value) { store.setText(coding.encode(value), for: key) }

  var binding: Binding<Value> {
    Binding(
      location: BindingLocation(root: .object(ObjectIdentifier(store))).appending(key), read: { self.value },
      write: { self.store($0) })
  }

  func isAt(_ key: String, in store: any ValueStore) -> Bool { self.key == key && self.store === store }
}
