/// A part of what a person sees, described by a value.
///
/// A view's `body` is a scope of its own: it runs again when something that it read has changed, and
/// only then.
@MainActor public protocol View {
  associatedtype Body: View

  @ViewBuilder var body: Body { get }
}

/// A view that a host draws itself.
@MainActor protocol Primitive {
  /// What stands inside it, in order.
  var children: [any View] { get }

  /// The line that a person reads; nil for what only arranges others.
  var line: String? { get }

  /// What a tap does; nil for what cannot be tapped.
  var tap: (@MainActor () -> Void)? { get }

  /// What typing into it does, where it can be typed into.
  var type: (@MainActor (String) -> Void)? { get }
}

extension Primitive {
  var children: [any View] { [] }
  var line: String? { nil }
  var tap: (@MainActor () -> Void)? { nil }
  var type: (@MainActor (String) -> Void)? { nil }
}

extension Never: View {
  public var body: Never { fatalError("A primitive has no body; its host draws it.") }
}

extension View where Body == Never {
  public var body: Never { fatalError("\(Self.self) has no body; its host draws it.") }
}

/// Puts the views of a closure together.
@MainActor @resultBuilder public enum ViewBuilder {
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> Sequence<repeat each Content> {
    Sequence(repeat each content)
  }

  public static func buildIf<Content: View>(_ content: Content?) -> Optional<Content> { content }

  public static func buildEither<First: View, Second: View>(first: First) -> Either<First, Second> { .first(first) }

  public static func buildEither<First: View, Second: View>(second: Second) -> Either<First, Second> {
    .second(second)
  }

  /// Several views one after the other.
  public struct Sequence<each Content: View>: View, Primitive {
    public typealias Body = Never
    let children: [any View]

    init(_ content: repeat each Content) {
      var children: [any View] = []
      for view in repeat each content { children.append(view) }
      self.children = children
    }
  }

  /// One of two views.
  public enum Either<First: View, Second: View>: View, Primitive {
    public typealias Body = Never
    case first(First)
    case second(Second)

    var children: [any View] {
      switch self {
      case .first(let view): [view]
      case .second(let view): [view]
      }
    }
  }
}

extension Optional: View where Wrapped: View {
  public typealias Body = Never
}

extension Optional: Primitive where Wrapped: View {
  var children: [any View] { map { [$0] } ?? [] }
}
