public import StarlingBinding

/// A value that a scene keeps for itself, under a name, until the scene is destroyed.
///
/// Properties of one name in one scene share one value; each scene has its own. It is meant for little: where a person
/// was, what was open.
@propertyWrapper public struct SceneStorage<Value>: DynamicProperty {
  private let key: String
  private let fallback: Value
  private let coding: StoredValueCoding<Value>
  private var stored: StoredValue<Value>?

  init(_ key: String, _ fallback: Value, _ coding: StoredValueCoding<Value>) {
    self.key = key
    self.fallback = fallback
    self.coding = coding
  }

  /// The value that the scene keeps, or the default. A write is kept.
  public var wrappedValue: Value {
    get { stored?.value ?? fallback }
    nonmutating set {
      let stored = stored
      WriteGate.pass { stored?.store(newValue) }
    }
  }

  /// A binding to the value; outside a scene it is constant.
  public var projectedValue: Binding<Value> { stored?.binding ?? .constant(fallback) }
}

extension SceneStorage: InstalledProperty, SamenessAware {
  mutating func install(in node: Node, slot: Int) {
    let (scene, store) = (node.tree.scene, node.tree.scene.store)
    let name = scene.key(key)
    let known = node.slots[slot] as? StoredValue<Value>
    let stored =
      known.flatMap { $0.isAt(name, in: store) ? $0 : nil } ?? StoredValue(name, in: store, default: fallback, coding)
    node.slots[slot] = stored
    self.stored = stored
  }

  package func isSame(as other: SceneStorage) -> Bool { key == other.key }
}

extension SceneStorage: Sendable where Value: Sendable {}

extension SceneStorage {
  /// Keeps a `Codable` value under `key`; `wrappedValue` is the default.
  public init(wrappedValue: Value, _ key: String) where Value: Codable {
    self.init(key, wrappedValue, .codable)
  }

  /// Keeps a value as its raw value under `key`; `wrappedValue` is the default.
  public init(wrappedValue: Value, _ key: String) where Value: RawRepresentable, Value.RawValue: Codable {
    self.init(key, wrappedValue, .raw)
  }

  /// Keeps a value as its raw value under `key`, also where it is `Codable`; `wrappedValue` is the default.
  public init(wrappedValue: Value, _ key: String)
  where Value: RawRepresentable & Codable, Value.RawValue: Codable {
    self.init(key, wrappedValue, .raw)
  }

  /// Keeps a `Codable` value under `key`; nil where none is kept.
  public init<Wrapped: Codable>(_ key: String) where Value == Wrapped? {
    self.init(key, nil, .optional(.codable))
  }

  /// Keeps a value as its raw value under `key`; nil where none is kept.
  public init<Wrapped: RawRepresentable & Codable>(_ key: String)
  where Value == Wrapped?, Wrapped.RawValue: Codable {
    self.init(key, nil, .optional(.raw))
  }

  /// Keeps a value as its raw value under `key`; nil where none is kept.
  public init<Wrapped: RawRepresentable>(_ key: String) where Value == Wrapped?, Wrapped.RawValue: Codable {
    self.init(key, nil, .optional(.raw))
  }
}

/// Which scene a host shows, and where what it keeps is kept.
package struct SceneIdentity: Sendable {
  package let name: String
  let store: SceneStore

  init(name: String, store: any ValueStore, _ log: DiagnosticLog) {
    self.name = name
    self.store = SceneStore(store, log)
  }

  /// Takes away everything that the scene has kept.
  package func destroy() { store.destroy(self) }

  func key(_ key: String) -> String { "scene/\(name)/\(key)" }
}

/// Notes the keys of scenes, so that a scene's can be taken away, and says when a value is too large for one.
final class SceneStore: ValueStore {
  private let store: any ValueStore
  private let log: DiagnosticLog
  private static let byteCountOfNote = 16 << 10

  init(_ store: any ValueStore, _ log: DiagnosticLog) {
    self.store = store
    self.log = log
  }

  func text(for key: String) -> String? { store.text(for: key) }

  func setText(_ text: String?, for key: String) {
    if let text, text.utf8.count > Self.byteCountOfNote {
      log.add(
        ViewDiagnostic(
          kind: .largeSceneValue,
          message: "'\(key)' keeps \(text.utf8.count) bytes for a scene; "
            + "keep what is large in a document, and its name here."))
    }
    store.setText(text, for: key)
    note(key)
  }

  /// Takes away everything that a scene has kept.
  func destroy(_ scene: SceneIdentity) {
    let prefix = scene.key("")
    for key in keys where key.hasPrefix(prefix) { store.setText(nil, for: key) }
    keys = keys.filter { !$0.hasPrefix(prefix) }
  }

  private static let list = "scenes"

  private var keys: [String] {
    get { store.text(for: Self.list).map { $0.split(separator: "\n").map(String.init) } ?? [] }
    set { store.setText(newValue.isEmpty ? nil : newValue.joined(separator: "\n"), for: Self.list) }
  }

  private func note(_ key: String) {
    if !keys.contains(key) { keys.append(key) }
  }
}
