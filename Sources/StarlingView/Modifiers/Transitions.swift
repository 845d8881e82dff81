public import Foundation
public import StarlingBinding

/// How a view comes and goes on Apple's screens; here it is there, or not.
public protocol Transition {}

/// How a view comes and goes on Apple's screens; here it is there, or not.
public struct AnyTransition: Hashable, Sendable {
  private let name: String
  /// It is there at once.
  nonisolated public static let identity = AnyTransition(name: "identity")
  /// It fades.
  nonisolated public static let opacity = AnyTransition(name: "opacity")
  /// It grows.
  nonisolated public static let scale = AnyTransition(name: "scale")
  /// It comes from the side.
  nonisolated public static let slide = AnyTransition(name: "slide")
  /// It comes from an edge.
  nonisolated public static func move(edge: Edge) -> AnyTransition { AnyTransition(name: "move") }
  /// It comes from an edge and pushes what was there.
  nonisolated public static func push(from edge: Edge) -> AnyTransition { AnyTransition(name: "push") }
  /// It comes from a distance.
  nonisolated public static func offset(x: CGFloat = 0, y: CGFloat = 0) -> AnyTransition {
    AnyTransition(name: "offset")
  }
  /// It grows from a size.
  nonisolated public static func scale(scale: CGFloat, anchor: UnitPoint = .center) -> AnyTransition { .scale }
  /// It comes one way and goes another.
  nonisolated public static func asymmetric(insertion: AnyTransition, removal: AnyTransition) -> AnyTransition {
    insertion
  }
  /// Between two modifiers.
  nonisolated public static func modifier<Modifier: ViewModifier>(active: Modifier, identity: Modifier)
    -> AnyTransition
  { .identity }

  /// Both at once.
  nonisolated public func combined(with other: AnyTransition) -> AnyTransition { self }
  /// Along an animation.
  nonisolated public func animation(_ animation: Animation?) -> AnyTransition { self }
}
