import StarlingGraph
import StarlingModel

/// What has been put on top of a stack or into a column, the topmost last.
///
///     root ── values of the path ── stops of its own
///               a binding's           links to views, views that a binding presents, values that the path cannot hold
@MainActor final class Trail {
  let stops = StateStorage<[Stop]>([])
  let destinations: Destinations
  /// The binding that holds the values, where there is one.
  var path: PathAccess?
  /// How many values there were when the stack was last evaluated.
  var shownValueCount = 0
  private var lastNumber = 0

  /// - Parameter destinations: Those of a column, where it stands in one.
  init(destinations: Destinations = Destinations()) {
    self.destinations = destinations
  }

  /// Whether only the root is shown.
  var isEmpty: Bool { stops.untrackedValue.isEmpty && shownValueCount == 0 }

  /// Shows what stands for `value` on top, in place of all else where it is a column that another chooses for.
  func push(_ value: AnyHashable, replacing isReplacing: Bool) {
    if isReplacing { return replace(by: .value(value)) }
    guard stops.untrackedValue.isEmpty, let path, path.append(value) else { return add(.value(value)) }
  }

  func push(_ view: AnyView, replacing isReplacing: Bool) {
    let box = ViewBox()
    box.make = { view }
    if isReplacing { replace(by: .view(box)) } else { add(.view(box)) }
  }

  func pop() {
    guard let last = stops.untrackedValue.last else {
      path?.removeLast()
      return
    }
    stops.store(stops.untrackedValue.dropLast())
    last.onPop?()
  }

  /// Shows a view that a binding presents; once.
  func show(_ box: ViewBox, onPop: @escaping @MainActor () -> Void) {
    guard !stops.untrackedValue.contains(where: { $0.holds(box) }) else { return }
    add(.view(box), onPop: onPop)
  }

  func hide(_ box: ViewBox) {
    guard stops.untrackedValue.contains(where: { $0.holds(box) }) else { return }
    stops.store(stops.untrackedValue.filter { !$0.holds(box) })
  }

  /// Takes all stops away; those whose bindings present them say so there.
  func clear() {
    let old = stops.untrackedValue
    stops.store([])
    for stop in old { stop.onPop?() }
  }

  private func add(_ content: Stop.Content, onPop: (@MainActor () -> Void)? = nil) {
    lastNumber += 1
    stops.store(stops.untrackedValue + [Stop(number: lastNumber, content: content, onPop: onPop)])
  }

  private func replace(by content: Stop.Content) {
    lastNumber += 1
    stops.store([Stop(number: lastNumber, content: content, onPop: nil)])
  }

  /// One screen.
  struct Stop: Equatable {
    enum Content {
      case value(AnyHashable)
      case view(ViewBox)
    }

    let number: Int
    let content: Content
    /// Tells the binding that presents it.
    let onPop: (@MainActor () -> Void)?

    static func == (left: Stop, right: Stop) -> Bool { left.number == right.number }

    func holds(_ box: ViewBox) -> Bool {
      if case .view(let own) = content { return own === box }
      return false
    }
  }
}

/// The values of a stack whose program keeps them.
@MainActor struct PathAccess {
  /// Noted as read.
  let values: @MainActor () -> [AnyHashable]
  /// - Returns: Whether the path holds values of this type.
  let append: @MainActor (AnyHashable) -> Bool
  let removeLast: @MainActor () -> Void
}

/// A view that its presenter may describe again.
@MainActor final class ViewBox {
  var make: @MainActor () -> AnyView = { AnyView(EmptyView()) }
  private let version = StateStorage(0)

  /// Has it evaluated again after the pass.
  func refresh(in tree: ViewTree) {
    tree.afterPass { [version] in version.store(version.untrackedValue &+ 1) }
  }

  /// Its view as it was described last, noted as read.
  var view: AnyView {
    _ = version.value
    return make()
  }
}

/// Which view stands for values of a type. Where several declare one, the outermost counts.
@MainActor final class Destinations {
  private var byType: [ObjectIdentifier: Destination] = [:]

  final class Destination {
    weak var owner: Node?
    let box = ViewBox()
    var make: (@MainActor (AnyHashable) -> AnyView)?
  }

  func destination(for type: Any.Type) -> Destination {
    if let known = byType[ObjectIdentifier(type)] { return known }
    let made = Destination()
    byType[ObjectIdentifier(type)] = made
    return made
  }

  func declare(_ type: Any.Type, by node: Node, _ make: @escaping @MainActor (AnyHashable) -> AnyView) {
    let destination = destination(for: type)
    if let owner = destination.owner, owner.isAlive, owner !== node, owner.depth <= node.depth { return }
    destination.owner = node
    destination.make = make
    destination.box.refresh(in: node.tree)
  }
}

/// A screen.
struct StopView: PrimitiveView {
  let content: Trail.Stop.Content
  let destinations: Destinations

  func compose(in node: Node) -> Composition {
    switch content {
    case .view(let box): return Composition(box.view)
    case .value(let value):
      let type = type(of: value.base)
      let destination = destinations.destination(for: type)
      _ = destination.box.view
      if let make = destination.make { return Composition(make(value)) }
      node.tree.afterward { [weak node] in
        guard destination.make == nil, let node, node.isAlive else { return }
        node.tree.report(
          .missingDestination,
          "A link leads to a \(type), but no view in its stack says .navigationDestination(for: \(type).self).")
      }
      return Composition()
    }
  }
}

extension EnvironmentValues {
  private static let trailKey = EntryKey<Trail?>(nil)
  private static let replacesTrailKey = EntryKey(false)

  /// Where links lead.
  var trail: Trail? {
    get { self[Self.trailKey] }
    set { self[Self.trailKey] = newValue }
  }

  /// Whether a link takes the place of what was linked to before: in a column that chooses what the next one shows.
  var replacesTrail: Bool {
    get { self[Self.replacesTrailKey] }
    set { self[Self.replacesTrailKey] = newValue }
  }
}
