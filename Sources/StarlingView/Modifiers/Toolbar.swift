// Controls that stand beside a screen's own content. Hosts here have no bars: they stand under it, in their order.

/// What stands in a toolbar.
///
/// ```swift
/// .toolbar {
///   ToolbarItem(placement: .primaryAction) { Button("Add") { add() } }
/// }
/// ```
@MainActor @preconcurrency public protocol ToolbarContent {
  /// The type of what it is made of.
  associatedtype Body: ToolbarContent

  /// What it is made of.
  @ToolbarContentBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: ToolbarContent {}

extension ToolbarContent where Body == Never {
  public var body: Never { fatalError("\(Self.self) has no body; its host shows it.") }
}

/// What of a toolbar is shown as a view.
@MainActor protocol PrimitiveToolbarContent: ToolbarContent where Body == Never {
  var view: any View { get }
}

/// What of a toolbar can be told apart. Here the same as any other.
public protocol CustomizableToolbarContent: ToolbarContent {}

/// Puts the items of a closure together.
@resultBuilder public enum ToolbarContentBuilder {
  /// One item.
  public static func buildBlock<Content: ToolbarContent>(_ content: Content) -> Content { content }

  /// Several items.
  public static func buildBlock<First: ToolbarContent, each Rest: ToolbarContent>(
    _ first: First, _ rest: repeat each Rest
  ) -> some ToolbarContent {
    var items: [any ToolbarContent] = [first]
    for item in repeat each rest { items.append(item) }
    return ToolbarItems(items: items)
  }

  /// An item, or none.
  public static func buildIf(_ content: (any ToolbarContent)?) -> some ToolbarContent {
    ToolbarItems(items: content.map { [$0] } ?? [])
  }

  /// The item of an `if` whose condition holds.
  public static func buildEither(first content: any ToolbarContent) -> some ToolbarContent {
    ToolbarItems(items: [content])
  }

  /// The item of an `else`.
  public static func buildEither(second content: any ToolbarContent) -> some ToolbarContent {
    ToolbarItems(items: [content])
  }

  /// An item behind an availability check.
  public static func buildLimitedAvailability(_ content: any ToolbarContent) -> some ToolbarContent {
    ToolbarItems(items: [content])
  }
}

/// Several items.
struct ToolbarItems {
  let items: [any ToolbarContent]
}

extension ToolbarItems: PrimitiveToolbarContent {
  var view: any View {
    func show<Item: ToolbarContent>(_ item: Item) -> any View { ToolbarContentView(content: item) }
    return TupleView((), items.map { show($0) })
  }
}

/// One control of a toolbar.
public struct ToolbarItem<Content: View>: ToolbarContent, CustomizableToolbarContent {
  public typealias Body = Never
  private let content: Content

  /// A control. Where it would be placed has no effect.
  public init(placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content) {
    self.content = content()
  }

  /// A control. Id and place have no effect.
  public init(id: String, placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content) {
    self.content = content()
  }
}

extension ToolbarItem: PrimitiveToolbarContent {
  var view: any View { content }
}

/// Several controls of a toolbar.
public struct ToolbarItemGroup<Content: View>: ToolbarContent {
  public typealias Body = Never
  private let content: Content

  /// Controls. Where they would be placed has no effect.
  public init(placement: ToolbarItemPlacement = .automatic, @ViewBuilder content: () -> Content) {
    self.content = content()
  }
}

extension ToolbarItemGroup: PrimitiveToolbarContent {
  var view: any View { content }
}

/// Space between controls of a toolbar: none here.
public struct ToolbarSpacer: ToolbarContent {
  public typealias Body = Never
  /// Space. Where it would be placed has no effect.
  public init(placement: ToolbarItemPlacement = .automatic) {}
}

extension ToolbarSpacer: PrimitiveToolbarContent {
  var view: any View { EmptyView() }
}

/// Where a control stands in a toolbar on Apple's screens. Here all stand under the content.
public struct ToolbarItemPlacement: Hashable, Sendable {
  private let name: String
  /// As the system chooses.
  nonisolated public static let automatic = ToolbarItemPlacement(name: "automatic")
  /// What is done most.
  nonisolated public static let primaryAction = ToolbarItemPlacement(name: "primaryAction")
  /// What is done less.
  nonisolated public static let secondaryAction = ToolbarItemPlacement(name: "secondaryAction")
  /// What ends a question with yes.
  nonisolated public static let confirmationAction = ToolbarItemPlacement(name: "confirmationAction")
  /// What ends a question with no.
  nonisolated public static let cancellationAction = ToolbarItemPlacement(name: "cancellationAction")
  /// What ends a question with a loss.
  nonisolated public static let destructiveAction = ToolbarItemPlacement(name: "destructiveAction")
  /// In the middle.
  nonisolated public static let principal = ToolbarItemPlacement(name: "principal")
  /// What leads elsewhere.
  nonisolated public static let navigation = ToolbarItemPlacement(name: "navigation")
  /// What says how things are.
  nonisolated public static let status = ToolbarItemPlacement(name: "status")
  /// Over the keyboard.
  nonisolated public static let keyboard = ToolbarItemPlacement(name: "keyboard")
  /// At the bottom.
  nonisolated public static let bottomBar = ToolbarItemPlacement(name: "bottomBar")
  /// At the top, where lines begin.
  nonisolated public static let topBarLeading = ToolbarItemPlacement(name: "topBarLeading")
  /// At the top, where lines end.
  nonisolated public static let topBarTrailing = ToolbarItemPlacement(name: "topBarTrailing")
  /// At the top, where lines begin, in older programs.
  nonisolated public static let navigationBarLeading = ToolbarItemPlacement(name: "navigationBarLeading")
  /// At the top, where lines end, in older programs.
  nonisolated public static let navigationBarTrailing = ToolbarItemPlacement(name: "navigationBarTrailing")
}

/// A bar of Apple's screens.
public struct ToolbarPlacement: Hashable, Sendable {
  private let name: String
  /// As the system chooses.
  nonisolated public static let automatic = ToolbarPlacement(name: "automatic")
  /// The bar over a stack.
  nonisolated public static let navigationBar = ToolbarPlacement(name: "navigationBar")
  /// The bar of tabs.
  nonisolated public static let tabBar = ToolbarPlacement(name: "tabBar")
  /// The bar at the bottom.
  nonisolated public static let bottomBar = ToolbarPlacement(name: "bottomBar")
  /// The bar of a window.
  nonisolated public static let windowToolbar = ToolbarPlacement(name: "windowToolbar")
}

/// What stands in a toolbar, as a view.
struct ToolbarContentView<Content: ToolbarContent>: PrimitiveView {
  let content: Content

  func compose(in node: Node) -> Composition {
    if let primitive = content as? any PrimitiveToolbarContent { return Composition([Part(primitive.view)]) }
    return Composition(ToolbarContentView<Content.Body>(content: content.body))
  }
}

extension ToolbarContentView: PropertyHolder {
  nonisolated static func holds(_ type: Any.Type) -> Bool { type == Content.self }
}

extension View {
  /// Puts controls under the view: hosts here have no bar for them.
  @_disfavoredOverload public func toolbar(@ViewBuilder content: () -> some View) -> some View {
    Group {
      self
      content()
    }
  }

  /// Puts the items of a toolbar under the view: hosts here have no bar for them.
  public func toolbar(@ToolbarContentBuilder content: () -> some ToolbarContent) -> some View {
    Group {
      self
      ToolbarContentView(content: content())
    }
  }

  /// Puts the items of a toolbar under the view. The id has no effect.
  public func toolbar(id: String, @ToolbarContentBuilder content: () -> some ToolbarContent) -> some View {
    toolbar(content: content)
  }
}
