import StarlingModel

/// Where a binding leads: a root, and the steps from there.
package struct BindingLocation: Hashable {
  package enum Root: Hashable {
    /// A model. The binding keeps it, so that its address stays its own.
    case object(ObjectIdentifier)
    case named(AnyHashable)
    case constant(AnyHashable)
  }

  package let root: Root
  private var steps: [AnyHashable] = []

  package init(root: Root) {
    self.root = root
  }

  package func appending(_ step: some Hashable) -> BindingLocation {
    var copy = self
    copy.steps.append(AnyHashable(step))
    return copy
  }
}

extension BindingLocation {
  /// The property that it leads through first, in words: "Book.title". Computed ones, as those of the standard
  /// library's `@Observable` are, may have kept no name: then their class is named alone.
  var property: String? {
    guard let path = steps.lazy.compactMap({ $0.base as? AnyKeyPath }).first else { return nil }
    let type = Swift.type(of: path).rootType
    if let model = type as? any ReplicatedModel.Type, let label = model.label(of: path) { return label }
    let name = "\(path)".drop { $0 == "\\" }
    return name.contains("<computed") ? "a property of \(type)" : String(name)
  }

  /// Where an object of a class is at home whose properties are named here; nil: anywhere, as far as is known.
  static func home(of type: Any.Type) -> (any Actor)? {
    if let model = type as? any ReplicatedModel.Type { return model.home }
    return MainActor.ifCurrent
  }
}

extension ReplicatedModel {
  fileprivate static var home: (any Actor)? { _$schema.isolation }

  fileprivate static func label(of path: AnyKeyPath) -> String? {
    _$schema.field(of: path).map { _$schema.label(of: $0) }
  }
}

enum BindingStep: Hashable {
  case unwrapped
  case optional
  case hashable
  /// An element by its identity.
  case element(AnyHashable)
  /// An element without an identity, by its place.
  case place(Int)
}
