import StarlingModel

/// A program: its scenes, and the state that all of them share.
@MainActor @preconcurrency public protocol App {
  /// The type of the scenes.
  associatedtype Body: Scene

  /// The scenes.
  @SceneBuilder @MainActor @preconcurrency var body: Body { get }

  /// Makes the program when it starts.
  @MainActor @preconcurrency init()
}

/// A part of a program that a person sees as a whole: a window.
@MainActor @preconcurrency public protocol Scene {
  /// The type of what the scene is made of.
  associatedtype Body: Scene

  /// What the scene is made of.
  @SceneBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: Scene {}

extension Scene where Body == Never {
  public var body: Never { fatalError("\(Self.self) has no body; its host shows it.") }
}

/// A scene that is shown as a view.
@MainActor protocol PrimitiveScene: Scene where Body == Never {
  var view: any View { get }
}

/// Puts the scenes of a closure together.
@resultBuilder public enum SceneBuilder {
  /// One scene.
  public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }

  /// Several scenes.
  public static func buildBlock<First: Scene, each Rest: Scene>(
    _ first: First, _ rest: repeat each Rest
  ) -> some Scene {
    var scenes: [any Scene] = [first]
    for scene in repeat each rest { scenes.append(scene) }
    return Scenes(scenes: scenes)
  }

  /// A scene, or none.
  public static func buildOptional(_ content: (any Scene)?) -> some Scene {
    Scenes(scenes: content.map { [$0] } ?? [])
  }

  /// A scene behind an availability check.
  public static func buildLimitedAvailability(_ content: any Scene) -> some Scene { Scenes(scenes: [content]) }
}

/// Several scenes. A host shows them one after the other.
struct Scenes {
  let scenes: [any Scene]
}

extension Scenes: PrimitiveScene {
  var view: any View {
    func show<Shown: Scene>(_ scene: Shown) -> any View { SceneView(scene: scene) }
    return TupleView((), scenes.map { show($0) })
  }
}

/// A window, or as many as a person opens: here it is one.
public struct WindowGroup<Content: View>: Scene {
  public typealias Body = Never
  private let content: Content

  /// A window that shows `content`.
  public init(@ViewBuilder content: () -> Content) {
    self.content = content()
  }

  /// A window that shows `content`. The id has no effect.
  public init(id: String, @ViewBuilder content: () -> Content) {
    self.content = content()
  }

  /// A window that shows `content`. The title has no effect.
  public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {
    self.content = content()
  }

  /// A window that shows `content`. Title and id have no effect.
  public init(_ title: LocalizedStringKey, id: String, @ViewBuilder content: () -> Content) {
    self.content = content()
  }
}

extension WindowGroup: PrimitiveScene {
  var view: any View { content }
}

/// One window.
public struct Window<Content: View>: Scene {
  public typealias Body = Never
  private let content: Content

  /// A window that shows `content`. Title and id have no effect.
  public init(_ title: LocalizedStringKey, id: String, @ViewBuilder content: () -> Content) {
    self.content = content()
  }
}

extension Window: PrimitiveScene {
  var view: any View { content }
}

/// A scene with what its views read from around them.
struct ModifiedScene<Content: Scene>: PrimitiveScene {
  let content: Content
  let modify: @MainActor (any View) -> any View

  var view: any View { modify(SceneView(scene: content)) }
}

extension Scene {
  /// Sets a value of the environment for the views of this scene.
  public func environment<Value>(_ path: WritableKeyPath<EnvironmentValues, Value>, _ value: Value) -> some Scene {
    modified { $0.environment(path, value) }
  }

  /// Puts an observable object into the environment of this scene, to be read by its type.
  public func environment<Object: AnyObject & Observable>(_ object: Object?) -> some Scene {
    modified { $0.environment(object) }
  }

  /// Puts an `ObservableObject` into the environment of this scene, to be read by its type.
  public func environmentObject(_ object: some ObservableObject) -> some Scene {
    modified { $0.environmentObject(object) }
  }

  /// Does something when `value` has changed.
  public func onChange<Value: Equatable>(
    of value: Value, initial: Bool = false, _ action: @escaping (_ oldValue: Value, _ newValue: Value) -> Void
  ) -> some Scene {
    modified { $0.onChange(of: value, initial: initial, action) }
  }

  /// Does something when `value` has changed.
  public func onChange<Value: Equatable>(
    of value: Value, initial: Bool = false, _ action: @escaping () -> Void
  ) -> some Scene {
    modified { $0.onChange(of: value, initial: initial, action) }
  }

  /// Tells of a value's changes, with the new value alone, as older programs do.
  public func onChange<Value: Equatable>(
    of value: Value, perform action: @escaping (_ newValue: Value) -> Void
  ) -> some Scene {
    modified { $0.onChange(of: value) { action($1) } }
  }

  /// The size in points that a window is opened with has no effect.
  public func defaultSize(width: Double, height: Double) -> some Scene { self }

  func modified(_ modify: @escaping @MainActor (AnyView) -> any View) -> ModifiedScene<Self> {
    ModifiedScene(content: self) { view in
      func erase<Content: View>(_ view: Content) -> AnyView { AnyView(view) }
      return modify(erase(view))
    }
  }
}

/// A program as a view: the root of a host.
struct AppView<Program: App>: PrimitiveView {
  let app: Program

  func compose(in node: Node) -> Composition { Composition(SceneView(scene: app.body)) }
}

extension AppView: PropertyHolder {
  nonisolated static func holds(_ type: Any.Type) -> Bool { type == Program.self }
}

/// A scene as a view.
struct SceneView<Shown: Scene>: PrimitiveView {
  let scene: Shown

  func compose(in node: Node) -> Composition {
    if let primitive = scene as? any PrimitiveScene { return Composition([Part(primitive.view)]) }
    return Composition(SceneView<Shown.Body>(scene: scene.body))
  }
}

extension SceneView: PropertyHolder {
  nonisolated static func holds(_ type: Any.Type) -> Bool { type == Shown.self }
}
