public import StarlingCore

/// One thing that differs between two versions of a document, in the words of the program: the model, its property,
/// the element of it, what stood there and what stands there.
///
/// ```swift
/// for difference in try await replica.differences(from: version).models {
///   print(difference)           // Board “plan”.columns[0].cards[2].title: "a" → "b"
/// }
/// ```
public struct ModelDifference: Sendable, Hashable {
  /// What differs.
  public enum Change: Sendable, Hashable {
    /// A property, an element of a list or an entry of a dictionary holds another value.
    case changed(from: ShownValue, to: ShownValue)
    /// A counter counts otherwise.
    case counted(from: Int64, to: Int64)
    /// An element, an entry, a member of a set, or a model that was not in the document.
    case added(ShownValue)
    /// An element, an entry, a member of a set, or a model that is in the document no more; `place` is where it stood.
    case removed(ShownValue)
    /// The element stood at this index of the same list.
    case movedElement(from: Int)
    /// The model stood elsewhere in the document.
    case movedModel(from: PropertyPlace)
    /// The stretch of a text that begins at `offset`, in Unicode scalars, reads otherwise.
    case edited(offset: Int, removed: String, inserted: String)
  }

  /// Where it is seen: in the later version, but for what was removed.
  public var place: PropertyPlace
  /// What differs there.
  public var change: Change

  /// The model whose property differs.
  public var model: ModelPlace { place.model }
  /// By its name in Swift: "title".
  public var property: String { place.property }
  /// The element, entry or member of the property that differs; nil if the property itself does.
  public var element: PropertyPlace.Element? { place.element }
}

/// Where a model stands in a version of a document.
public struct ModelPlace: Sendable, Hashable {
  /// The class, or the struct of a record: "Card".
  public var type: String
  /// The same in every version.
  public var id: ObjectID
  /// Of the model in which it stands that is opened by name, or its own.
  public var rootType: String
  /// The name under which that model was opened.
  public var rootName: String
  /// The way from there as Swift writes it: "columns[0].cards[2]"; empty for the named model itself.
  public var path: String
}

/// A property of a model, or an element of a property, in a version of a document.
public struct PropertyPlace: Sendable, Hashable {
  /// An element of a list, an entry of a dictionary or a member of a set.
  public enum Element: Sendable, Hashable {
    /// Of a list.
    case index(Int)
    /// Of a dictionary, as Swift writes it: "\"one\"".
    case key(String)
  }

  /// The model whose property it is.
  public var model: ModelPlace
  /// By its name in Swift: "title".
  public var property: String
  /// Nil for the property as a whole, and for the members of a set.
  public var element: Element?
}

/// A value as it is shown to a person. To have it as a Swift value, read it from the model of the past
/// (`PastDocument.model(for:)`).
public struct ShownValue: Sendable, Hashable {
  /// As Swift prints it; of a model its class with the values that differ from its defaults.
  public var text: String
  /// Of a model where it stands, and of a reference where its target does.
  public var model: ModelPlace?

  /// A value as a difference shows it.
  public init(text: String, model: ModelPlace? = nil) {
    self.text = text
    self.model = model
  }
}

/// What differs between two versions of a document.
public struct DocumentDifferences: Sendable {
  /// By the places of the models, those of one property in their order.
  public var models: [ModelDifference] = []
  /// What belongs to no model that is known here, by keys.
  public var rest = Difference()

  /// Whether nothing differs.
  public var isEmpty: Bool { models.isEmpty && rest.isEmpty }
}

// MARK: In words

extension ModelDifference: CustomStringConvertible {
  /// One line: `Board “plan”.columns[0].cards[2].title: "a" → "b"`.
  public var description: String { "\(place): \(change)" }
}

extension ModelDifference.Change: CustomStringConvertible {
  public var description: String {
    switch self {
    case .changed(let from, let to): "\(from) → \(to)"
    case .counted(let from, let to): "\(from) → \(to) (\(to < from ? "" : "+")\(to &- from))"
    case .added(let value): "added \(value)"
    case .removed(let value): "removed \(value)"
    case .movedElement(let index): "moved from [\(index)]"
    case .movedModel(let place): "moved from \(place)"
    case .edited(let offset, "", let inserted): "inserted \(inserted.debugDescription) at \(offset)"
    case .edited(let offset, let removed, ""): "removed \(removed.debugDescription) at \(offset)"
    case .edited(let offset, let removed, let inserted):
      "\(removed.debugDescription) → \(inserted.debugDescription) at \(offset)"
    }
  }
}

extension ModelPlace: CustomStringConvertible {
  public var description: String { "\(rootType) “\(rootName)”" + (path.isEmpty ? "" : ".\(path)") }
}

extension PropertyPlace: CustomStringConvertible {
  public var description: String { "\(model).\(property)" + (element.map { "\($0)" } ?? "") }
}

extension PropertyPlace.Element: CustomStringConvertible {
  public var description: String {
    switch self {
    case .index(let index): "[\(index)]"
    case .key(let key): "[\(key)]"
    }
  }
}

extension ShownValue: CustomStringConvertible {
  public var description: String { text }
}
