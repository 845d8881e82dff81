import StarlingModel

/// Names a value that views hand outwards, and says how those of several views become one.
public protocol PreferenceKey {
  /// The type of what the key names.
  associatedtype Value
  /// The value where no view inside says one.
  static var defaultValue: Value { get }
  /// Joins the value of the next view to that of those before it.
  static func reduce(value: inout Value, nextValue: () -> Value)
}

extension PreferenceKey where Value: ExpressibleByNilLiteral {
  /// Nil where no view inside says a value.
  public static var defaultValue: Value { nil }
}

/// What a view says under a key.
private final class SaidPreference<Key: PreferenceKey> {
  /// Makes what is said from what views inside say.
  var say: (Key.Value) -> Key.Value = { $0 }
}

struct PreferenceView<Content: View, Key: PreferenceKey>: PrimitiveView {
  let content: Content
  let say: (Key.Value) -> Key.Value

  func compose(in node: Node) -> Composition {
    node.memory { SaidPreference<Key>() }.say = say
    node.tree.preferencesChanged()
    return Composition(content)
  }
}

/// Hears what views inside say, when it has changed.
struct PreferenceReader<Content: View, Key: PreferenceKey>: PrimitiveView where Key.Value: Equatable {
  let content: Content
  let hear: (Key.Value) -> Void

  func compose(in node: Node) -> Composition {
    let heard = node.memory { HeardPreference<Key>() }
    heard.hear = hear
    if !heard.isKnown {
      heard.isKnown = true
      let number = node.number
      node.tree.preferenceReaders[number] = { [weak node] in
        guard let node else { return }
        heard.look(at: node)
      }
      node.onRemoval { [weak tree = node.tree] in tree?.preferenceReaders[number] = nil }
    }
    node.tree.preferencesChanged()
    return Composition(content)
  }
}

private final class HeardPreference<Key: PreferenceKey> where Key.Value: Equatable {
  var isKnown = false
  var hear: (Key.Value) -> Void = { _ in }
  private var last: Key.Value?

  @MainActor func look(at node: Node) {
    let value = node.preference(Key.self)
    guard value != last ?? Key.defaultValue else { return }
    last = value
    hear(value)
  }
}

extension Node {
  /// What the views inside say under a key, in order.
  fileprivate func preference<Key: PreferenceKey>(_ key: Key.Type) -> Key.Value {
    var said: Key.Value?
    for child in children {
      guard let next = child.saidPreference(key) else { continue }
      if said == nil { said = next } else { Key.reduce(value: &said!) { next } }
    }
    return said ?? Key.defaultValue
  }

  /// - Returns: Nil where nobody says anything.
  private func saidPreference<Key: PreferenceKey>(_ key: Key.Type) -> Key.Value? {
    if let own: SaidPreference<Key> = memoryIfMade() { return own.say(preference(key)) }
    let said = children.compactMap { $0.saidPreference(key) }
    guard var value = said.first else { return nil }
    for next in said.dropFirst() { Key.reduce(value: &value) { next } }
    return value
  }
}

extension View {
  /// Says a value to the views around this one.
  public func preference<Key: PreferenceKey>(key: Key.Type = Key.self, value: Key.Value) -> some View {
    PreferenceView<Self, Key>(content: self) { _ in value }
  }

  /// Changes what views inside say.
  public func transformPreference<Key: PreferenceKey>(
    _ key: Key.Type = Key.self, _ callback: @escaping (inout Key.Value) -> Void
  ) -> some View {
    PreferenceView<Self, Key>(content: self) { value in
      var value = value
      callback(&value)
      return value
    }
  }

  /// Hears what views inside say, when it has changed.
  public func onPreferenceChange<Key: PreferenceKey>(
    _ key: Key.Type = Key.self, perform action: @escaping (Key.Value) -> Void
  ) -> some View where Key.Value: Equatable {
    PreferenceReader<Self, Key>(content: self, hear: action)
  }
}
