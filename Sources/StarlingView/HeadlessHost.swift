import StarlingGraph
import Synchronization

/// Renders views to lines of text, and taps and types for a person: how views are tested.
///
/// ```swift
/// let host = HeadlessHost { BookView(book: book) }
/// try host.tap("Borrow")
/// #expect(host.text == ["Dune", "[ ] Available"])
/// #expect(host.evaluations(of: BookView.self) == 1)
/// ```
@MainActor public final class HeadlessHost {
  private let root: Node
  private let ledger = Ledger()

  public init(@ViewBuilder _ content: () -> some View) {
    root = Node(content(), ledger: ledger)
  }

  /// What a person would read, line by line, once everything that changed has been evaluated again.
  public var text: [String] {
    settle()
    return root.lines
  }

  /// How often the body of views of this type ran.
  public func evaluations<Content: View>(of type: Content.Type) -> Int {
    settle()
    return ledger.evaluations[ObjectIdentifier(type)] ?? 0
  }

  /// Taps what bears `label`: a button, a toggle.
  ///
  /// - Throws: `HeadlessHostError` listing the labels there are, where none is `label`.
  public func tap(_ label: String) throws {
    let targets = try find(label) { $0.tap != nil }
    targets.tap?()
  }

  /// Types `text` into the field that bears `label`, in place of what stands there.
  ///
  /// - Throws: `HeadlessHostError` listing the labels there are, where none is `label`.
  public func type(_ text: String, into label: String) throws {
    let field = try find(label) { $0.type != nil }
    field.type?(text)
  }

  /// Evaluates again what is out of date; nothing else.
  public func settle() {
    while root.evaluateStale() {}
  }

  private func find(_ label: String, where condition: (any Primitive) -> Bool) throws -> any Primitive {
    settle()
    let candidates = root.primitives.filter { $0.line != nil && condition($0) }
    if let found = candidates.first(where: { $0.line.map { Self.label(of: $0) } == label }) { return found }
    throw HeadlessHostError(label: label, labels: candidates.compactMap { $0.line.map { Self.label(of: $0) } })
  }

  /// A toggle's line begins with its box, a field's ends with its text.
  private static func label(of line: String) -> String {
    let unboxed = line.hasPrefix("[x] ") || line.hasPrefix("[ ] ") ? line.dropFirst(4) : line[...]
    return String(unboxed.prefix { $0 != ":" })
  }
}

/// Nothing bears the label.
public struct HeadlessHostError: Error, CustomStringConvertible, Hashable {
  public let label: String
  /// What there is instead.
  public let labels: [String]

  public var description: String {
    "Nothing is labelled '\(label)'. There is: \(labels.isEmpty ? "nothing" : labels.joined(separator: ", "))."
  }
}

/// How often bodies ran, by the type of the view.
@MainActor private final class Ledger {
  var evaluations: [ObjectIdentifier: Int] = [:]
}

/// Set on whatever thread writes what a body read; looked at when the host settles.
private final class StaleMark: Sendable {
  private let isSet = Atomic(false)

  func set() {
    isSet.store(true, ordering: .releasing)
  }

  func take() -> Bool {
    isSet.exchange(false, ordering: .acquiring)
  }
}

/// One view in place, and what its body gave when it last ran.
@MainActor private final class Node {
  private var view: any View
  private let ledger: Ledger
  private var children: [Node] = []
  private var observer: Observer?
  private let stale = StaleMark()

  init(_ view: any View, ledger: Ledger) {
    self.view = view
    self.ledger = ledger
    evaluate()
  }

  /// Takes the place's new view.
  private func update(_ view: any View) {
    self.view = view
    evaluate()
  }

  /// Evaluates what is out of date here and below.
  ///
  /// - Returns: whether anything was.
  func evaluateStale() -> Bool {
    let isStale = stale.take()
    if isStale { evaluate() }
    return children.reduce(isStale) { $1.evaluateStale() || $0 }
  }

  private func evaluate() {
    if let primitive = view as? any Primitive {
      fill(with: primitive.children)
    } else {
      _ = stale.take()
      fill(with: [evaluateBody(of: view)])
    }
  }

  private func evaluateBody<Content: View>(of view: Content) -> any View {
    ledger.evaluations[ObjectIdentifier(Content.self), default: 0] += 1
    let observer = observer ?? Observer(named: "\(Content.self).body") { [stale] in stale.set() }
    self.observer = observer
    return observer.track { view.body }
  }

  /// Keeps the children whose views are of the same type as before, in their places.
  private func fill(with views: [any View]) {
    let old = children
    children = views.enumerated().map { place, view in
      guard place < old.count, type(of: old[place].view) == type(of: view) else { return Node(view, ledger: ledger) }
      old[place].update(view)
      return old[place]
    }
  }

  var lines: [String] {
    ((view as? any Primitive)?.line.map { [$0] } ?? []) + children.flatMap(\.lines)
  }

  var primitives: [any Primitive] {
    ((view as? any Primitive).map { [$0] } ?? []) + children.flatMap(\.primitives)
  }
}
