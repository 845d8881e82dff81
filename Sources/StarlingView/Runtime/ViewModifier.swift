/// Makes a view from a view.
@MainActor @preconcurrency public protocol ViewModifier {
  /// The type of what the modifier makes.
  associatedtype Body: View
  /// The type of the view that is modified.
  typealias Content = _ViewModifier_Content<Self>

  /// What the modifier makes of `content`.
  @ViewBuilder @MainActor @preconcurrency func body(content: Content) -> Body
}

/// The view that a modifier is applied to, as its body sees it.
public struct _ViewModifier_Content<Modifier: ViewModifier>: View {
  public typealias Body = Never
  let content: any View
}

extension _ViewModifier_Content: PrimitiveView {
  package func compose(in node: Node) -> Composition { Composition([Part(content)]) }
}

extension ViewModifier where Body == Never {
  public func body(content: Content) -> Never { fatalError("\(Self.self) has no body; its host applies it.") }
}

/// A view with a modifier applied to it.
public struct ModifiedContent<Content, Modifier> {
  /// What is modified.
  public var content: Content
  /// What is applied to it.
  public var modifier: Modifier

  /// Applies a modifier to content.
  public init(content: Content, modifier: Modifier) {
    self.content = content
    self.modifier = modifier
  }
}

extension ModifiedContent: View where Content: View, Modifier: ViewModifier {
  public typealias Body = Never
}

extension ModifiedContent: PrimitiveView where Content: View, Modifier: ViewModifier {
  package func compose(in node: Node) -> Composition {
    if let pair = modifier as? any ModifierPair { return Composition([Part(pair.applied(to: content))]) }
    return Composition(modifier.body(content: _ViewModifier_Content(content: content)))
  }
}

extension ModifiedContent: PropertyHolder where Content: View, Modifier: ViewModifier {
  package static func holds(_ type: Any.Type) -> Bool { type == Modifier.self }
}

extension ModifiedContent: ViewModifier where Content: ViewModifier, Modifier: ViewModifier {}

/// Two modifiers that are applied as one.
@MainActor private protocol ModifierPair {
  func applied(to view: any View) -> any View
}

extension ModifiedContent: ModifierPair where Content: ViewModifier, Modifier: ViewModifier {
  func applied(to view: any View) -> any View {
    func apply<Inner: View>(_ view: Inner) -> any View { view.modifier(content).modifier(modifier) }
    return apply(view)
  }
}

extension View {
  /// Applies a modifier.
  public func modifier<Modifier>(_ modifier: Modifier) -> ModifiedContent<Self, Modifier> {
    ModifiedContent(content: self, modifier: modifier)
  }
}

extension ViewModifier {
  /// Applies `modifier` after this one, as one modifier.
  public func concat<Modifier>(_ modifier: Modifier) -> ModifiedContent<Self, Modifier> {
    ModifiedContent(content: self, modifier: modifier)
  }
}

/// Leaves a view as it is.
public struct EmptyModifier: ViewModifier {
  /// A modifier that changes nothing.
  nonisolated public static var identity: EmptyModifier { EmptyModifier() }
  /// Changes nothing.
  nonisolated public init() {}

  public func body(content: Content) -> some View { content }
}
