import StarlingGraph
import StarlingModel

/// Shows a view, and what its links lead to on top of it.
public struct NavigationStack<Root: View>: View {
  public typealias Body = Never
  private let root: Root

  /// Begins with `root`.
  public init(@ViewBuilder root: () -> Root) {
    self.root = root()
  }
}

extension NavigationStack: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    let trail = node.memory { Trail() }
    let scope = node.memory { EnvironmentScope(parent: node.environment) }
    let stops = trail.stops.value
    var values = EnvironmentValues(in: node.environment)
    values.trail = trail
    values.dismiss = DismissAction { [weak trail] in trail?.pop() }
    scope.update(values.writes)
    let parts =
      [Part(root, at: .index(0), environment: scope)]
      + stops.map { Part($0.view, at: .id($0.number), environment: scope) }
    return Composition(parts) { drawn in
      let top = drawn[drawn.parts.count - 1]
      guard !stops.isEmpty else { return top }
      var back = Element(node, .button(role: .cancel))
      back.accessibilityLabel = "Back"
      back.actions.isFocusable = true
      back.actions.tap = { [weak trail] in trail?.pop() }
      return top + [back]
    }
  }
}

/// An older name for a stack.
public typealias NavigationView = NavigationStack

/// What has been put on top of a stack, the topmost last.
@MainActor final class Trail {
  struct Stop: Equatable {
    let number: Int
    let view: AnyView

    static func == (left: Stop, right: Stop) -> Bool { left.number == right.number }
  }

  let stops = StateStorage<[Stop]>([])
  private var lastNumber = 0

  func push(_ view: AnyView) {
    lastNumber += 1
    stops.store(stops.untrackedValue + [Stop(number: lastNumber, view: view)])
  }

  func pop() {
    stops.store(stops.untrackedValue.dropLast())
  }
}

extension EnvironmentValues {
  private static let trailKey = EntryKey<Trail?>(nil)

  var trail: Trail? {
    get { self[Self.trailKey] }
    set { self[Self.trailKey] = newValue }
  }
}

/// Puts a view on top of the stack that it stands in.
public struct NavigationLink<Label: View, Destination: View>: View {
  public typealias Body = Never
  private let destination: () -> Destination
  private let label: Label

  /// Leads to `destination` where the label is tapped.
  public init(@ViewBuilder destination: @escaping () -> Destination, @ViewBuilder label: () -> Label) {
    self.destination = destination
    self.label = label()
  }

  /// Leads to `destination` where the label is tapped.
  public init(destination: @autoclosure @escaping () -> Destination, @ViewBuilder label: () -> Label) {
    self.destination = destination
    self.label = label()
  }
}

extension NavigationLink where Label == Text {
  /// Leads to `destination` where the title is tapped.
  public init(_ title: LocalizedStringKey, @ViewBuilder destination: @escaping () -> Destination) {
    self.init(destination: destination) { Text(title) }
  }

  /// Leads to `destination` where the title is tapped.
  @_disfavoredOverload public init(
    _ title: some StringProtocol, @ViewBuilder destination: @escaping () -> Destination
  ) {
    self.init(destination: destination) { Text(title) }
  }

  /// Leads to `destination` where the title is tapped.
  public init(_ title: LocalizedStringKey, destination: @autoclosure @escaping () -> Destination) {
    self.init(destination: destination) { Text(title) }
  }
}

extension NavigationLink: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    let (trail, destination) = (EnvironmentValues(in: node.environment).trail, destination)
    var element = Element(node, .button(role: nil))
    element.actions.isFocusable = true
    element.actions.tap = { trail?.push(AnyView(destination())) }
    return Composition(label) { drawn in
      var element = element
      element.children = drawn.all
      return [element]
    }
  }
}

/// Puts the name of a screen over it.
struct TitledView<Content: View>: PrimitiveView {
  let content: Content
  let title: String

  func compose(in node: Node) -> Composition {
    let title = Element(node, .title(title))
    return Composition(content) { [title] + $0.all }
  }
}

extension View {
  /// The name of the screen, which stands over it.
  public func navigationTitle(_ title: LocalizedStringKey) -> some View {
    TitledView(content: self, title: title.string)
  }

  /// The name of the screen, which stands over it.
  @_disfavoredOverload public func navigationTitle(_ title: some StringProtocol) -> some View {
    TitledView(content: self, title: String(title))
  }

  /// The name of the screen, which stands over it.
  public func navigationTitle(_ title: Text) -> some View { TitledView(content: self, title: title.content.string) }
}
