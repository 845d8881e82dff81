// Menus of a program. Their shortcuts act wherever the focus is; F10 opens all of them in a terminal.

/// Menus of a program.
@MainActor @preconcurrency public protocol Commands {
  /// The type of what they are made of.
  associatedtype Body: Commands

  /// What they are made of.
  @CommandsBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: Commands {}

extension Commands where Body == Never {
  public var body: Never { fatalError("\(Self.self) has no body; its host shows it.") }
}

/// What of menus is shown as a view.
@MainActor protocol PrimitiveCommands: Commands where Body == Never {
  var view: any View { get }
}

/// Puts the menus of a closure together.
@resultBuilder public enum CommandsBuilder {
  /// No menu.
  public static func buildBlock() -> EmptyCommands { EmptyCommands() }

  /// One menu.
  public static func buildBlock<Content: Commands>(_ content: Content) -> Content { content }

  /// Several menus.
  public static func buildBlock<First: Commands, each Rest: Commands>(
    _ first: First, _ rest: repeat each Rest
  ) -> some Commands {
    var menus: [any Commands] = [first]
    for menu in repeat each rest { menus.append(menu) }
    return SeveralCommands(menus: menus)
  }

  /// A menu, or none.
  public static func buildIf(_ content: (any Commands)?) -> some Commands {
    SeveralCommands(menus: content.map { [$0] } ?? [])
  }

  /// A menu behind an availability check.
  public static func buildLimitedAvailability(_ content: any Commands) -> some Commands {
    SeveralCommands(menus: [content])
  }
}

/// No menus.
public struct EmptyCommands: Commands {
  public typealias Body = Never
  /// No menus.
  nonisolated public init() {}
}

extension EmptyCommands: PrimitiveCommands {
  var view: any View { EmptyView() }
}

/// Several menus.
struct SeveralCommands {
  let menus: [any Commands]
}

extension SeveralCommands: PrimitiveCommands {
  var view: any View {
    func show<Menu: Commands>(_ menu: Menu) -> any View { CommandsView(commands: menu) }
    return TupleView((), menus.map { show($0) })
  }
}

/// A menu of its own.
public struct CommandMenu<Content: View>: Commands {
  public typealias Body = Never
  private let title: String
  private let content: Content

  /// A menu under a title.
  public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {
    self.title = title.string
    self.content = content()
  }

  /// A menu under a title.
  @_disfavoredOverload public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {
    self.title = String(title)
    self.content = content()
  }
}

extension CommandMenu: PrimitiveCommands {
  var view: any View {
    Section {
      content
    } header: {
      Text(verbatim: title)
    }
  }
}

/// Items of a menu that systems have. There are none here: they stand among the others.
public struct CommandGroup<Content: View>: Commands {
  public typealias Body = Never
  private let content: Content

  /// Items before others.
  public init(before group: CommandGroupPlacement, @ViewBuilder addition: () -> Content) {
    content = addition()
  }

  /// Items after others.
  public init(after group: CommandGroupPlacement, @ViewBuilder addition: () -> Content) {
    content = addition()
  }

  /// Items in place of others.
  public init(replacing group: CommandGroupPlacement, @ViewBuilder addition: () -> Content) {
    content = addition()
  }
}

extension CommandGroup: PrimitiveCommands {
  var view: any View { content }
}

/// Items of menus that systems have.
public struct CommandGroupPlacement: Hashable, Sendable {
  private let name: String
  /// About the program.
  nonisolated public static let appInfo = CommandGroupPlacement(name: "appInfo")
  /// Its settings.
  nonisolated public static let appSettings = CommandGroupPlacement(name: "appSettings")
  /// New things.
  nonisolated public static let newItem = CommandGroupPlacement(name: "newItem")
  /// Saving.
  nonisolated public static let saveItem = CommandGroupPlacement(name: "saveItem")
  /// Importing and exporting.
  nonisolated public static let importExport = CommandGroupPlacement(name: "importExport")
  /// Printing.
  nonisolated public static let printItem = CommandGroupPlacement(name: "printItem")
  /// Undoing.
  nonisolated public static let undoRedo = CommandGroupPlacement(name: "undoRedo")
  /// Copying.
  nonisolated public static let pasteboard = CommandGroupPlacement(name: "pasteboard")
  /// Texts.
  nonisolated public static let textEditing = CommandGroupPlacement(name: "textEditing")
  /// The sidebar.
  nonisolated public static let sidebar = CommandGroupPlacement(name: "sidebar")
  /// The toolbar.
  nonisolated public static let toolbar = CommandGroupPlacement(name: "toolbar")
  /// Windows.
  nonisolated public static let windowArrangement = CommandGroupPlacement(name: "windowArrangement")
  /// Help.
  nonisolated public static let help = CommandGroupPlacement(name: "help")
}

/// Items for a sidebar on Apple's systems; none here.
public struct SidebarCommands: Commands {
  /// No items.
  nonisolated public init() {}
  public var body: some Commands { EmptyCommands() }
}

/// Items for a toolbar on Apple's systems; none here.
public struct ToolbarCommands: Commands {
  /// No items.
  nonisolated public init() {}
  public var body: some Commands { EmptyCommands() }
}

/// Items for texts on Apple's systems; none here.
public struct TextEditingCommands: Commands {
  /// No items.
  nonisolated public init() {}
  public var body: some Commands { EmptyCommands() }
}

/// Items for an inspector on Apple's systems; none here.
public struct InspectorCommands: Commands {
  /// No items.
  nonisolated public init() {}
  public var body: some Commands { EmptyCommands() }
}

/// Menus as a view.
struct CommandsView<Menus: Commands>: PrimitiveView {
  let commands: Menus

  func compose(in node: Node) -> Composition {
    if let primitive = commands as? any PrimitiveCommands { return Composition([Part(primitive.view)]) }
    return Composition(CommandsView<Menus.Body>(commands: commands.body))
  }
}

extension CommandsView: PropertyHolder {
  nonisolated static func holds(_ type: Any.Type) -> Bool { type == Menus.self }
}

extension Scene {
  /// Gives the program menus: F10 opens them in a terminal, and their shortcuts act at all times.
  public func commands(@CommandsBuilder content: () -> some Commands) -> some Scene {
    let commands = CommandsView(commands: content())
    return modified { $0.background(drawer: commands, title: "Menu", key: .f10) }
  }

  /// Leaves out the menus of the system: there are none here.
  public func commandsRemoved() -> some Scene { self }
}
