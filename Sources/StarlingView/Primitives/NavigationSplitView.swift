public import StarlingBinding
import StarlingGraph
import StarlingModel

/// Two or three columns side by side. Each chooses what the next one shows: by a selection, or by links.
///
/// ```swift
/// NavigationSplitView {
///   List(recipes, selection: $selected) { Text($0.name) }
/// } detail: {
///   RecipeDetail(id: selected)
/// }
/// ```
public struct NavigationSplitView<Sidebar: View, Content: View, Detail: View>: View {
  public typealias Body = Never
  private let sidebar: Sidebar
  private let content: Content
  private let detail: Detail
  private let visibility: Binding<NavigationSplitViewVisibility>?
  private let hasContent: Bool

  private init(
    _ visibility: Binding<NavigationSplitViewVisibility>?, hasContent: Bool, _ sidebar: Sidebar, _ content: Content,
    _ detail: Detail
  ) {
    self.visibility = visibility
    self.hasContent = hasContent
    self.sidebar = sidebar
    self.content = content
    self.detail = detail
  }

  /// Three columns.
  public init(
    @ViewBuilder sidebar: () -> Sidebar, @ViewBuilder content: () -> Content, @ViewBuilder detail: () -> Detail
  ) {
    self.init(nil, hasContent: true, sidebar(), content(), detail())
  }

  /// Three columns; `columnVisibility` says which are shown.
  public init(
    columnVisibility: Binding<NavigationSplitViewVisibility>, @ViewBuilder sidebar: () -> Sidebar,
    @ViewBuilder content: () -> Content, @ViewBuilder detail: () -> Detail
  ) {
    self.init(columnVisibility, hasContent: true, sidebar(), content(), detail())
  }

  /// Three columns. The preferred one has no effect: hosts here show all.
  public init(
    preferredCompactColumn: Binding<NavigationSplitViewColumn>, @ViewBuilder sidebar: () -> Sidebar,
    @ViewBuilder content: () -> Content, @ViewBuilder detail: () -> Detail
  ) {
    WithoutEffect.report("preferredCompactColumn")
    self.init(nil, hasContent: true, sidebar(), content(), detail())
  }
}

extension NavigationSplitView where Content == EmptyView {
  /// Two columns.
  public init(@ViewBuilder sidebar: () -> Sidebar, @ViewBuilder detail: () -> Detail) {
    self.init(nil, hasContent: false, sidebar(), EmptyView(), detail())
  }

  /// Two columns; `columnVisibility` says which are shown.
  public init(
    columnVisibility: Binding<NavigationSplitViewVisibility>, @ViewBuilder sidebar: () -> Sidebar,
    @ViewBuilder detail: () -> Detail
  ) {
    self.init(columnVisibility, hasContent: false, sidebar(), EmptyView(), detail())
  }

  /// Two columns. The preferred one has no effect: hosts here show all.
  public init(
    preferredCompactColumn: Binding<NavigationSplitViewColumn>, @ViewBuilder sidebar: () -> Sidebar,
    @ViewBuilder detail: () -> Detail
  ) {
    WithoutEffect.report("preferredCompactColumn")
    self.init(nil, hasContent: false, sidebar(), EmptyView(), detail())
  }
}

extension NavigationSplitView: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    let trails = node.memory { ColumnTrails() }
    let shown = visibility?.wrappedValue ?? .automatic
    var parts: [Part] = []
    if shown != .detailOnly, !(hasContent && shown == .doubleColumn) {
      parts.append(
        Part(
          TrailView(
            root: sidebar, trail: trails.sidebar, path: nil, next: hasContent ? trails.content : trails.detail),
          at: .index(0)))
    }
    if hasContent, shown != .detailOnly {
      parts.append(Part(ColumnView(root: content, trail: trails.content, next: trails.detail), at: .index(1)))
    }
    parts.append(Part(ColumnView(root: detail, trail: trails.detail, next: nil), at: .index(2)))
    return Composition(parts) { drawn in
      var columns: [Element] = []
      for (place, part) in drawn.parts.enumerated() {
        if place > 0 { columns.append(Element(node, .divider)) }
        columns.append(Element(node, .stack(.vertical, alignment: .topLeading, spacing: nil), part))
      }
      return [Element(node, .stack(.horizontal, alignment: .topLeading, spacing: nil), columns)]
    }
  }
}

/// What each column shows.
@MainActor private final class ColumnTrails {
  let sidebar = Trail()
  let content = Trail()
  let detail = Trail()
}

/// A column whose root another column may replace.
private struct ColumnView<Root: View>: PrimitiveView {
  let root: Root
  let trail: Trail
  let next: Trail?

  func compose(in node: Node) -> Composition {
    guard let first = trail.stops.value.first else {
      return Composition([Part(TrailView(root: root, trail: trail, path: nil, next: next), at: .index(0))])
    }
    let chosen = StopView(content: first.content, destinations: trail.destinations)
    let inner = node.memory { InnerTrail() }
    if inner.number != first.number {
      inner.number = first.number
      inner.trail = Trail(destinations: trail.destinations)
    }
    return Composition([
      Part(TrailView(root: chosen, trail: inner.trail, path: nil, next: next), at: .id(AnyHashable(first.number)))
    ])
  }
}

/// What was put on top of what another column chose.
@MainActor private final class InnerTrail {
  var number = 0
  var trail = Trail()
}

/// Which columns of a `NavigationSplitView` are shown.
public struct NavigationSplitViewVisibility: Hashable, Codable, Sendable {
  private let name: String

  /// All of them, here.
  public static let automatic = NavigationSplitViewVisibility(name: "automatic")
  /// All of them.
  public static let all = NavigationSplitViewVisibility(name: "all")
  /// The last two of three, or both of two.
  public static let doubleColumn = NavigationSplitViewVisibility(name: "doubleColumn")
  /// The last one.
  public static let detailOnly = NavigationSplitViewVisibility(name: "detailOnly")
}

/// A column of a `NavigationSplitView`.
public struct NavigationSplitViewColumn: Hashable, Sendable {
  private let name: String

  /// The first.
  public static let sidebar = NavigationSplitViewColumn(name: "sidebar")
  /// The second of three.
  public static let content = NavigationSplitViewColumn(name: "content")
  /// The last.
  public static let detail = NavigationSplitViewColumn(name: "detail")
}
