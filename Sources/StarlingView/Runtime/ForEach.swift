public import Foundation
public import StarlingBinding

/// A view for each element of a collection. An element keeps its view, and what that keeps, by its identity.
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {
  /// The elements.
  public var data: Data
  /// Makes an element's view.
  public var content: (Data.Element) -> Content
  private let id: (Data.Element) -> ID
  private var delete: ((IndexSet) -> Void)?
  private var move: ((IndexSet, Int) -> Void)?

  init(_ data: Data, identifiedBy id: @escaping (Data.Element) -> ID, content: @escaping (Data.Element) -> Content) {
    self.data = data
    self.id = id
    self.content = content
  }
}

extension ForEach: View where Content: View {
  public typealias Body = Never
}

extension ForEach: PrimitiveView where Content: View {
  package func compose(in node: Node) -> Composition {
    var seen: [ID: Int] = [:]
    let parts = data.map { element in
      let id = id(element)
      let count = seen[id, default: 0]
      seen[id] = count + 1
      if count == 1 { node.tree.report(.duplicateID, "ForEach: the id \(id) occurs several times in \(Data.self).") }
      return Part(
        ForEachElement(element: element, content: content),
        at: count == 0 ? .id(AnyHashable(id)) : .again(AnyHashable(id), count))
    }
    let places = parts.map(\.place)
    let (delete, move, count) = (delete, move, parts.count)
    let isEditing = (delete != nil || move != nil) && EnvironmentValues(in: node.environment).isEditing
    return Composition(parts) { drawn in
      zip(places, drawn.parts).enumerated().flatMap { offset, row in
        row.1.map { element in
          var element = element.tagged(row.0)
          element.row.isEditing = element.row.isEditing || isEditing
          if let delete, !element.row.isDeleteDisabled {
            element.row.delete = { delete(IndexSet(integer: offset)) }
          }
          if let move, !element.row.isMoveDisabled {
            element.row.move = { distance in
              let place = Swift.min(Swift.max(offset + distance, 0), count - 1)
              // A row is moved in front of the one that stood there, which for one further down is the next.
              if place != offset { move(IndexSet(integer: offset), place > offset ? place + 1 : place) }
            }
          }
          return element
        }
      }
    }
  }
}

/// One element's view. What the closure reads of the element, it alone depends on.
struct ForEachElement<Element, Content: View>: PrimitiveView {
  let element: Element
  let content: (Element) -> Content

  func compose(in node: Node) -> Composition { Composition(content(element)) }
}

extension Element {
  /// Elements of a `ForEach` can be chosen and scrolled to by their id.
  fileprivate func tagged(_ place: Place) -> Element {
    guard case .id(let id) = place else { return self }
    var copy = self
    copy.tag = tag ?? id
    copy.scrollID = scrollID ?? id
    return copy
  }
}

extension ForEach where Content: View {
  /// A view for each element, told apart by its identity.
  public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
  where Data.Element: Identifiable, ID == Data.Element.ID {
    self.init(data, identifiedBy: { $0.id }, content: content)
  }

  /// A view for each element, told apart by what is at `id`.
  public init(
    _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
  ) {
    self.init(data, identifiedBy: { $0[keyPath: id] }, content: content)
  }

  /// A view for each number.
  public init(_ data: Range<Int>, @ViewBuilder content: @escaping (Int) -> Content)
  where Data == Range<Int>, ID == Int {
    self.init(data, identifiedBy: { $0 }, content: content)
  }

  /// Bindings to the elements: `ForEach($items) { $item in … }`. A binding follows its element, not its place.
  public init<C>(_ data: Binding<C>, @ViewBuilder content: @escaping (Binding<C.Element>) -> Content)
  where
    Data == LazyMapSequence<C.Indices, Binding<C.Element>>, C: MutableCollection & RandomAccessCollection,
    C.Element: Identifiable, ID == C.Element.ID, C.Index: Hashable
  {
    self.init(data.elements, identifiedBy: { $0.wrappedValue.id }, content: content)
  }

  /// A view for each element, with a binding to it, told apart by what is at `id`.
  public init<C>(
    _ data: Binding<C>, id: KeyPath<C.Element, ID>,
    @ViewBuilder content: @escaping (Binding<C.Element>) -> Content
  )
  where
    Data == LazyMapSequence<C.Indices, Binding<C.Element>>, C: MutableCollection & RandomAccessCollection,
    C.Index: Hashable
  {
    self.init(data.elements, identifiedBy: { $0.wrappedValue[keyPath: id] }, content: content)
  }
}

extension Binding where Value: MutableCollection & RandomAccessCollection {
  fileprivate var elements: LazyMapSequence<Value.Indices, Binding<Value.Element>> {
    wrappedValue.indices.lazy.map { self[$0] }
  }
}

extension ForEach {
  /// Lets a person delete rows: in a terminal with Delete or Backspace, in a headless host with `delete(_:)`. Nil lets
  /// them not.
  ///
  /// - Parameter action: Takes the elements at these offsets away.
  public func onDelete(perform action: ((IndexSet) -> Void)?) -> Self {
    var copy = self
    copy.delete = action
    return copy
  }

  /// Lets a person move rows: in a terminal with Alt and an arrow, in a headless host with `move(_:by:)`. Nil lets them
  /// not.
  ///
  /// - Parameter action: Moves the elements at these offsets in front of the one at an offset.
  public func onMove(perform action: ((IndexSet, Int) -> Void)?) -> Self {
    var copy = self
    copy.move = action
    return copy
  }
}

extension ForEach where Content: View {
  /// Bindings to the elements, which a person can move and delete as `editActions` says.
  public init<C>(
    _ data: Binding<C>, editActions: EditActions<C>, @ViewBuilder content: @escaping (Binding<C.Element>) -> Content
  )
  where
    Data == LazyMapSequence<C.Indices, Binding<C.Element>>,
    C: MutableCollection & RandomAccessCollection & RangeReplaceableCollection, C.Element: Identifiable,
    ID == C.Element.ID, C.Index: Hashable
  {
    self.init(data, content: content)
    if editActions.contains(.delete) { delete = { data.wrappedValue.remove(atOffsets: $0) } }
    if editActions.contains(.move) { move = { data.wrappedValue.move(fromOffsets: $0, toOffset: $1) } }
  }
}

/// Views for the elements of a collection: `ForEach`.
public protocol DynamicViewContent: View {
  /// The type of the collection.
  associatedtype Data: Collection
  /// The elements.
  var data: Data { get }
}

extension ForEach: DynamicViewContent where Content: View {}

extension EnvironmentValues {
  /// Whether a person is arranging what stands here.
  var isEditing: Bool { editMode?.wrappedValue.isEditing ?? false }
}
