public import Foundation
public import StarlingBinding

/// A value that the program keeps from one run to the next, under a name.
///
/// Every view that reads the name runs again when it is written, by whomever. Where nothing is kept, the default is
/// read. The store is the one given, else that of `.defaultAppStorage(_:)`, else a file of this program.
@propertyWrapper public struct AppStorage<Value>: DynamicProperty {
  private let key: String
  private let fallback: Value
  private let coding: StoredValueCoding<Value>
  private let store: (any ValueStore)?
  private var stored: StoredValue<Value>?

  init(_ key: String, _ fallback: Value, _ coding: StoredValueCoding<Value>, _ store: (any ValueStore)?) {
    self.key = key
    self.fallback = fallback
    self.coding = coding
    self.store = store
  }

  /// Outside a view, the value is read and written where the property says, or in the program's own file.
  private var place: StoredValue<Value> {
    stored ?? StoredValue(key, in: store ?? FileStore.standard, default: fallback, coding)
  }

  /// The value that is kept, or the default. A write is kept.
  public var wrappedValue: Value {
    get { place.value }
    nonmutating set {
      let place = place
      WriteGate.pass { place.store(newValue) }
    }
  }

  /// A binding to the value.
  public var projectedValue: Binding<Value> { place.binding }
}

extension AppStorage: InstalledProperty, SamenessAware {
  mutating func install(in node: Node, slot: Int) {
    let store = store ?? EnvironmentValues(in: node.environment).appStore.store
    let known = node.slots[slot] as? StoredValue<Value>
    let stored =
      known.flatMap { $0.isAt(key, in: store) ? $0 : nil } ?? StoredValue(key, in: store, default: fallback, coding)
    node.slots[slot] = stored
    self.stored = stored
  }

  package func isSame(as other: AppStorage) -> Bool { key == other.key && store === other.store }
}

extension AppStorage: Sendable where Value: Sendable {}

extension AppStorage {
  /// Keeps a `Codable` value under `key`; `wrappedValue` is the default.
  public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil) where Value: Codable {
    self.init(key, wrappedValue, .codable, store.map(DefaultsStore.of))
  }

  /// - Parameters:
  ///   - wrappedValue: The value until one is stored.
  ///   - key: The name under which it is stored.
  ///   - store: Where the value is kept; also a replicated document.
  public init(wrappedValue: Value, _ key: String, store: any ValueStore) where Value: Codable {
    self.init(key, wrappedValue, .codable, store)
  }

  /// Keeps a value as its raw value under `key`; `wrappedValue` is the default.
  public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil)
  where Value: RawRepresentable, Value.RawValue: Codable {
    self.init(key, wrappedValue, .raw, store.map(DefaultsStore.of))
  }

  /// Keeps a value as its raw value under `key`, also where it is `Codable`; `wrappedValue` is the default.
  public init(wrappedValue: Value, _ key: String, store: UserDefaults? = nil)
  where Value: RawRepresentable & Codable, Value.RawValue: Codable {
    self.init(key, wrappedValue, .raw, store.map(DefaultsStore.of))
  }

  /// Keeps a `Codable` value under `key`; nil where none is kept.
  public init<Wrapped: Codable>(_ key: String, store: UserDefaults? = nil) where Value == Wrapped? {
    self.init(key, nil, .optional(.codable), store.map(DefaultsStore.of))
  }

  /// Keeps a `Codable` value under `key` in `store`; nil where none is kept.
  public init<Wrapped: Codable>(_ key: String, store: any ValueStore) where Value == Wrapped? {
    self.init(key, nil, .optional(.codable), store)
  }

  /// Keeps a value as its raw value under `key`; nil where none is kept.
  public init<Wrapped: RawRepresentable & Codable>(_ key: String, store: UserDefaults? = nil)
  where Value == Wrapped?, Wrapped.RawValue: Codable {
    self.init(key, nil, .optional(.raw), store.map(DefaultsStore.of))
  }

  /// Keeps a value as its raw value under `key`; nil where none is kept.
  public init<Wrapped: RawRepresentable>(_ key: String, store: UserDefaults? = nil)
  where Value == Wrapped?, Wrapped.RawValue: Codable {
    self.init(key, nil, .optional(.raw), store.map(DefaultsStore.of))
  }
}

/// Where values of the program are kept, as the environment has it.
struct AppStore {
  let store: any ValueStore
}

extension AppStore: SamenessAware {
  func isSame(as other: AppStore) -> Bool { store === other.store }
}

extension EnvironmentValues {
  private static let appStoreKey = EntryKey(AppStore(store: FileStore.standard))

  var appStore: AppStore {
    get { self[Self.appStoreKey] }
    set { self[Self.appStoreKey] = newValue }
  }
}

extension ViewTree {
  /// Where `@AppStorage` is kept that does not say so itself.
  package func keepAppStorage(in store: any ValueStore) {
    var values = EnvironmentValues()
    values.appStore = AppStore(store: store)
    environment.update(values.writes)
  }
}

extension View {
  /// Where `@AppStorage` inside is kept if it does not say so itself.
  public func defaultAppStorage(_ store: UserDefaults) -> some View {
    defaultAppStorage(DefaultsStore.of(store))
  }

  /// Where `@AppStorage` inside is kept if it does not say so itself.
  public func defaultAppStorage(_ store: any ValueStore) -> some View {
    EnvironmentView(content: self) { $0.appStore = AppStore(store: store) }
  }
}
