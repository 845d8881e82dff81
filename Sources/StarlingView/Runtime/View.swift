/// A part of what a person sees, described by a value.
///
/// A view's `body` is a scope of its own: it runs again when something that it read has changed, and
/// only then.
@MainActor @preconcurrency public protocol View {
  /// The type of what the view is made of.
  associatedtype Body: View

  /// What the view is made of.
  @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
  public var body: Never { fatalError("A view that a host draws itself has no body.") }
}

/// A view that the runtime composes itself instead of asking for its body.
@MainActor package protocol PrimitiveView: View where Body == Never {
  /// What stands inside it, and how it is drawn. What is read here is noted: the view is a scope of its own.
  func compose(in node: Node) -> Composition
}

extension View where Body == Never {
  public var body: Never { fatalError("\(Self.self) has no body; its host draws it.") }
}

/// A view in its place: what stands inside it, and how what those draw becomes what it draws.
@MainActor package struct Composition {
  package var parts: [Part]
  package var draw: @MainActor (Drawn) -> [Element]

  /// Draws what its parts draw, one after the other.
  package init(_ parts: [Part] = [], draw: @escaping @MainActor (Drawn) -> [Element] = { $0.all }) {
    self.parts = parts
    self.draw = draw
  }

  /// Draws by itself.
  package init(_ element: Element) {
    self.init { _ in [element] }
  }

  package init(_ part: some View, draw: @escaping @MainActor (Drawn) -> [Element] = { $0.all }) {
    self.init([Part(part)], draw: draw)
  }
}

/// A view inside another, in a place that keeps its state.
package struct Part {
  package var view: any View
  package var place: Place
  /// What it and all inside it read of the environment; nil: what the view around it reads.
  package var environment: EnvironmentScope?

  package init(_ view: any View, at place: Place = .index(0), environment: EnvironmentScope? = nil) {
    self.view = view
    self.place = place
    self.environment = environment
  }
}

/// Tells the views inside another apart. A view of the same type in the same place is the same view.
package enum Place: Hashable {
  case index(Int)
  /// Named by the user: `.id(_:)`, the elements of a `ForEach`.
  case id(AnyHashable)
  /// The same id again, which is a mistake of the user's: the how-manieth.
  case again(AnyHashable, Int)
}

/// What the parts of a view have drawn.
package struct Drawn {
  package let parts: [[Element]]

  package var all: [Element] { parts.count == 1 ? parts[0] : parts.flatMap { $0 } }
  package subscript(_ part: Int) -> [Element] { parts[part] }
}
