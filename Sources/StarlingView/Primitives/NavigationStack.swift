public import StarlingBinding
import StarlingGraph
import StarlingModel

/// Shows a view, and what its links lead to on top of it.
///
/// ```swift
/// NavigationStack(path: $path) {
///   List(recipes) { NavigationLink($0.name, value: $0) }
///     .navigationDestination(for: Recipe.self) { RecipeDetail(recipe: $0) }
/// }
/// ```
///
/// Every screen keeps its state while it is covered. A button “Back” stands under each but the first; in a terminal
/// Escape goes back too.
public struct NavigationStack<Data, Root: View>: View {
  public typealias Body = Never
  private let root: Root
  private let path: PathAccess?

  /// Begins with `root` and keeps the path itself.
  public init(@ViewBuilder root: () -> Root) where Data == NavigationPath {
    self.root = root()
    path = nil
  }

  /// Begins with `root`, and shows the views that stand for the values of `path` on top of it. Going back takes the last
  /// value away.
  public init(path: Binding<NavigationPath>, @ViewBuilder root: () -> Root) where Data == NavigationPath {
    self.root = root()
    self.path = PathAccess(
      values: { path.wrappedValue.values },
      append: {
        path.wrappedValue.values.append($0)
        return true
      },
      removeLast: { if !path.wrappedValue.isEmpty { path.wrappedValue.removeLast() } })
  }

  /// The same with values of one type. A link to a value of another type leads there outside of the path.
  public init(path: Binding<Data>, @ViewBuilder root: () -> Root)
  where Data: MutableCollection & RandomAccessCollection & RangeReplaceableCollection, Data.Element: Hashable {
    self.root = root()
    self.path = PathAccess(
      values: { path.wrappedValue.map { AnyHashable($0) } },
      append: { value in
        guard let value = value.base as? Data.Element else { return false }
        path.wrappedValue.append(value)
        return true
      },
      removeLast: { if !path.wrappedValue.isEmpty { path.wrappedValue.removeLast() } })
  }
}

extension NavigationStack: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    let trail = node.memory { Trail() }
    return Composition(TrailView(root: root, trail: trail, path: path, next: nil))
  }
}

/// An older name for a stack. Of several views, it shows the first: the others were meant for a column beside it.
public struct NavigationView<Content: View>: View {
  private let content: Content

  /// Begins with the first view of `content`.
  public init(@ViewBuilder content: () -> Content) {
    self.content = content()
  }

  public var body: some View {
    NavigationStack { (content as? any SeveralViews).map { AnyView($0.firstView) } ?? AnyView(content) }
  }
}

/// A view of several.
@MainActor protocol SeveralViews {
  var firstView: AnyView { get }
}

/// A root with what has been put on top of it.
struct TrailView<Root: View>: PrimitiveView {
  let root: Root
  let trail: Trail
  let path: PathAccess?
  /// Where the root's links lead; nil: on top of it.
  let next: Trail?

  func compose(in node: Node) -> Composition {
    trail.path = path
    let values = path?.values() ?? []
    var stops = trail.stops.value
    if values.count < trail.shownValueCount, !stops.isEmpty {
      // The program went back behind what was put on top of the path.
      stops = []
      node.tree.afterPass { [trail] in trail.clear() }
    }
    trail.shownValueCount = values.count
    let rootScope = node.memory { RootScope(EnvironmentScope(parent: node.environment)) }.scope
    var around = EnvironmentValues(in: node.environment)
    around.trail = next ?? trail
    around.replacesTrail = next != nil
    rootScope.update(around.writes)
    let stopScope = node.memory { StopScope(EnvironmentScope(parent: rootScope)) }.scope
    var inside = EnvironmentValues(in: rootScope)
    inside.dismiss = DismissAction { [weak trail] in trail?.pop() }
    inside.isPresented = true
    stopScope.update(inside.writes)
    let shown =
      values.enumerated().map { place, value in
        Part(
          StopView(content: .value(value), destinations: trail.destinations),
          at: .id(AnyHashable(PathPlace(place: place, value: value))), environment: stopScope)
      }
      + stops.map {
        Part(
          StopView(content: $0.content, destinations: trail.destinations), at: .id(AnyHashable($0.number)),
          environment: stopScope)
      }
    return Composition([Part(root, at: .index(0), environment: rootScope)] + shown) { drawn in
      let top = drawn[drawn.parts.count - 1]
      guard !shown.isEmpty else { return top }
      var back = Element(node, .button(role: .cancel))
      back.accessibilityLabel = "Back"
      back.actions.isFocusable = true
      back.actions.tap = { [weak trail] in trail?.pop() }
      back.actions.isBack = true
      return top.contains(where: \.hidesBack) ? top : top + [back]
    }
  }

  /// The same value may stand in a path twice.
  private struct PathPlace: Hashable {
    let place: Int
    let value: AnyHashable
  }
}

/// What the root of a trail reads.
private final class RootScope {
  let scope: EnvironmentScope

  init(_ scope: EnvironmentScope) {
    self.scope = scope
  }
}

/// What the screens on top of it read.
private final class StopScope {
  let scope: EnvironmentScope

  init(_ scope: EnvironmentScope) {
    self.scope = scope
  }
}
