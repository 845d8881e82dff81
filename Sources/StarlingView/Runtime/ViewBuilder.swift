/// Puts the views of a closure together.
@resultBuilder public enum ViewBuilder {
  /// A view as it stands in the closure.
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }

  /// Refuses what is no view, where it stands.
  @available(*, unavailable, message: "this expression does not conform to 'View'")
  public static func buildExpression(_ invalid: Any) -> some View { EmptyView() }

  /// No view.
  public static func buildBlock() -> EmptyView { EmptyView() }

  /// One view.
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

  /// Several views.
  public static func buildBlock<each Content: View>(
    _ content: repeat each Content
  ) -> TupleView<(repeat each Content)> {
    var parts: [any View] = []
    for view in repeat each content { parts.append(view) }
    return TupleView((repeat each content), parts)
  }

  /// A view, or none.
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }

  /// The view of an `if` whose condition holds.
  public static func buildEither<First: View, Second: View>(
    first: First
  ) -> _ConditionalContent<First, Second> {
    _ConditionalContent(.first(first))
  }

  /// The view of an `else`.
  public static func buildEither<First: View, Second: View>(
    second: Second
  ) -> _ConditionalContent<First, Second> {
    _ConditionalContent(.second(second))
  }

  /// A view behind an availability check.
  public static func buildLimitedAvailability<Content: View>(_ content: Content) -> AnyView { AnyView(content) }
}

/// Several views, one after the other.
public struct TupleView<Content> {
  /// The views, as a tuple.
  public let value: Content
  private let parts: [any View]

  init(_ value: Content, _ parts: [any View]) {
    self.value = value
    self.parts = parts
  }
}

extension TupleView: View {
  public typealias Body = Never
}

extension TupleView: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    Composition(parts.enumerated().map { Part($1, at: .index($0)) })
  }
}

extension TupleView: SeveralViews {
  var firstView: AnyView {
    func erase<Shown: View>(_ view: Shown) -> AnyView { AnyView(view) }
    return parts.first.map { erase($0) } ?? AnyView(EmptyView())
  }
}

/// One of two views. Each has a place of its own: what one branch keeps, the other does not see.
public struct _ConditionalContent<First: View, Second: View> {
  let branch: Branch

  enum Branch {
    case first(First)
    case second(Second)
  }

  init(_ branch: Branch) {
    self.branch = branch
  }
}

extension _ConditionalContent: View {
  public typealias Body = Never
}

extension _ConditionalContent: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    switch branch {
    case .first(let view): Composition([Part(view, at: .index(0))])
    case .second(let view): Composition([Part(view, at: .index(1))])
    }
  }
}

extension Optional: View where Wrapped: View {
  public typealias Body = Never
}

extension Optional: PrimitiveView where Wrapped: View {
  package func compose(in node: Node) -> Composition {
    Composition(map { [Part($0)] } ?? [])
  }
}

/// Nothing.
public struct EmptyView: View, Equatable, Sendable {
  public typealias Body = Never
  /// Shows nothing.
  nonisolated public init() {}
}

extension EmptyView: PrimitiveView {
  package func compose(in node: Node) -> Composition { Composition() }
}

/// Views that are modified together, and otherwise stand as if they were written one by one.
public struct Group<Content: View>: View {
  public typealias Body = Never
  let content: Content

  /// Takes the views of a closure together.
  public init(@ViewBuilder content: () -> Content) {
    self.content = content()
  }
}

extension Group: PrimitiveView {
  package func compose(in node: Node) -> Composition { Composition(content) }
}

/// A view of any type. Of another type than before, it begins again.
public struct AnyView {
  let content: any View

  /// Forgets a view's type.
  public init<Content: View>(_ content: Content) {
    self.content = (content as? AnyView)?.content ?? content
  }

  /// Forgets a view's type.
  public init<Content: View>(erasing content: Content) {
    self.init(content)
  }
}

extension AnyView: View {
  public typealias Body = Never
}

extension AnyView: PrimitiveView {
  package func compose(in node: Node) -> Composition { Composition([Part(content)]) }
}

/// A view that is compared with `==` to see whether its body must run. Every view that is `Equatable` is;
/// `.equatable()` says so in words.
public struct EquatableView<Content: View & Equatable>: View {
  public typealias Body = Never
  /// The view that is compared.
  public var content: Content

  /// Compares `content` with `==`.
  public init(content: Content) {
    self.content = content
  }
}

extension EquatableView: PrimitiveView {
  package func compose(in node: Node) -> Composition { Composition(content) }
}

extension View where Self: Equatable {
  /// Says in words that the view is compared with `==`.
  public func equatable() -> EquatableView<Self> { EquatableView(content: self) }
}

/// A view whose identity is `id`: with another one it begins again.
struct IdentifiedView<Content: View>: PrimitiveView {
  let content: Content
  let id: AnyHashable

  func compose(in node: Node) -> Composition {
    let id = id
    return Composition([Part(content, at: .id(id))]) { drawn in
      drawn.all.map { element in
        var element = element
        element.scrollID = element.scrollID ?? id
        return element
      }
    }
  }
}

extension View {
  /// Binds the view's identity to a value: when the value changes, the view begins again.
  public func id(_ id: some Hashable) -> some View {
    IdentifiedView(content: self, id: AnyHashable(id))
  }
}
