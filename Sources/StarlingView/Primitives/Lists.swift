public import StarlingBinding

/// Rows one below the other; one or several can be selected.
public struct List<SelectionValue: Hashable, Content: View>: View {
  public typealias Body = Never
  private let selection: ListSelection?
  private let content: Content

  fileprivate init(_ selection: ListSelection?, _ content: Content) {
    self.selection = selection
    self.content = content
  }
}

/// What a list's rows do when they are tapped.
@MainActor private struct ListSelection {
  /// What is selected, noted as read.
  let selected: @MainActor () -> Set<AnyHashable>
  let toggle: @MainActor (AnyHashable) -> Void
  /// Whether a value can be selected.
  let takes: (AnyHashable) -> Bool

  init<Value: Hashable>(_ selection: Binding<Value?>) {
    selected = { Set(selection.wrappedValue.map { [AnyHashable($0)] } ?? []) }
    toggle = { selection.wrappedValue = $0.base as? Value }
    takes = { $0.base is Value }
  }

  init<Value: Hashable>(_ selection: Binding<Set<Value>>) {
    selected = { Set(selection.wrappedValue.map { AnyHashable($0) }) }
    toggle = { tag in
      guard let value = tag.base as? Value else { return }
      selection.wrappedValue.formSymmetricDifference([value])
    }
    takes = { $0.base is Value }
  }
}

extension List: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    let selection = selection
    let selected = selection?.selected() ?? []
    return Composition(content) { drawn in
      guard let selection else { return [Element(node, .list, drawn.all.map { $0.usableRow(in: node) })] }
      return [
        Element(
          node, .list, drawn.all.map { $0.selectable(selection, selected, in: node).usableRow(in: node) })
      ]
    }
  }
}

extension Element {
  @MainActor fileprivate func selectable(
    _ selection: ListSelection, _ selected: Set<AnyHashable>, in node: Node
  ) -> Element {
    if case .section = kind {
      var copy = self
      copy.children = children.map { $0.selectable(selection, selected, in: node) }
      return copy
    }
    if let link = [self].valueLink, let tag = link.tag, selection.takes(tag) {
      // A link to what the list selects says so in its place.
      return replacing(link.id) { link in
        link.isSelected = selected.contains(tag)
        link.actions.tap = { selection.toggle(tag) }
      }
    }
    guard let tag, actions.tap == nil else { return self }
    var whole = Element(node, .group, [self])
    whole.id = id
    whole.tag = tag
    whole.row = row
    whole.scrollID = scrollID
    whole.isSelected = selected.contains(tag)
    whole.actions.isFocusable = true
    whole.actions.tap = { selection.toggle(tag) }
    return whole
  }
}

extension Element {
  /// With the element of that id changed.
  fileprivate func replacing(_ id: ElementID, _ change: (inout Element) -> Void) -> Element {
    var copy = self
    if self.id == id, isValueLink { change(&copy) } else { copy.children = children.map { $0.replacing(id, change) } }
    return copy
  }
}

extension [Element] {
  /// The first link to a value.
  fileprivate var valueLink: Element? {
    var found: Element?
    for element in self { element.forEach { if found == nil, $0.isValueLink { found = $0 } } }
    return found
  }
}

extension List where SelectionValue == Never {
  /// Rows that cannot be selected.
  public init(@ViewBuilder content: () -> Content) {
    self.init(nil, content())
  }

  // A binding to a collection is a collection of bindings too: it is meant for the initialiser of its own.
  /// A row for each element, told apart by its identity.
  @_disfavoredOverload public init<Data: RandomAccessCollection, Row: View>(
    _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
  ) where Data.Element: Identifiable, Content == ForEach<Data, Data.Element.ID, Row> {
    self.init(nil, ForEach(data, content: rowContent))
  }

  /// A row for each element, told apart by what is at `id`.
  public init<Data: RandomAccessCollection, ID: Hashable, Row: View>(
    _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
  ) where Content == ForEach<Data, ID, Row> {
    self.init(nil, ForEach(data, id: id, content: rowContent))
  }

  /// A row for each number.
  public init<Row: View>(_ data: Range<Int>, @ViewBuilder rowContent: @escaping (Int) -> Row)
  where Content == ForEach<Range<Int>, Int, Row> {
    self.init(nil, ForEach(data, content: rowContent))
  }

  /// A row for each element, with a binding to it.
  public init<Data: MutableCollection & RandomAccessCollection, Row: View>(
    _ data: Binding<Data>, @ViewBuilder rowContent: @escaping (Binding<Data.Element>) -> Row
  )
  where
    Data.Element: Identifiable, Data.Index: Hashable,
    Content == ForEach<LazyMapSequence<Data.Indices, Binding<Data.Element>>, Data.Element.ID, Row>
  {
    self.init(nil, ForEach(data, content: rowContent))
  }
}

extension List {
  /// Rows that can be selected one at a time, by tag.
  public init(selection: Binding<SelectionValue?>?, @ViewBuilder content: () -> Content) {
    self.init(selection.map { ListSelection($0) }, content())
  }

  /// Rows that can be selected, several at a time, by their tags.
  public init(selection: Binding<Set<SelectionValue>>?, @ViewBuilder content: () -> Content) {
    self.init(selection.map { ListSelection($0) }, content())
  }

  /// A row for each element; one can be selected, by its identity.
  public init<Data: RandomAccessCollection, Row: View>(
    _ data: Data, selection: Binding<SelectionValue?>?, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
  ) where Data.Element: Identifiable, Content == ForEach<Data, Data.Element.ID, Row> {
    self.init(selection.map { ListSelection($0) }, ForEach(data, content: rowContent))
  }

  /// A row for each element; several can be selected, by their identities.
  public init<Data: RandomAccessCollection, Row: View>(
    _ data: Data, selection: Binding<Set<SelectionValue>>?, @ViewBuilder rowContent: @escaping (Data.Element) -> Row
  ) where Data.Element: Identifiable, Content == ForEach<Data, Data.Element.ID, Row> {
    self.init(selection.map { ListSelection($0) }, ForEach(data, content: rowContent))
  }
}

extension List where SelectionValue == Never {
  /// A row for each element, with a binding to it, which a person can move and delete as `editActions` says.
  public init<Data: MutableCollection & RandomAccessCollection & RangeReplaceableCollection, Row: View>(
    _ data: Binding<Data>, editActions: EditActions<Data>,
    @ViewBuilder rowContent: @escaping (Binding<Data.Element>) -> Row
  )
  where
    Data.Element: Identifiable, Data.Index: Hashable,
    Content == ForEach<LazyMapSequence<Data.Indices, Binding<Data.Element>>, Data.Element.ID, Row>
  {
    self.init(nil, ForEach(data, editActions: editActions, content: rowContent))
  }

  /// A row for each element, with a binding to it, told apart by what is at `id`.
  public init<Data: MutableCollection & RandomAccessCollection, ID: Hashable, Row: View>(
    _ data: Binding<Data>, id: KeyPath<Data.Element, ID>,
    @ViewBuilder rowContent: @escaping (Binding<Data.Element>) -> Row
  )
  where Data.Index: Hashable, Content == ForEach<LazyMapSequence<Data.Indices, Binding<Data.Element>>, ID, Row> {
    self.init(nil, ForEach(data, id: id, content: rowContent))
  }
}

extension List {
  /// A row for each element, told apart by what is at `id`, which is what is selected.
  public init<Data: RandomAccessCollection, ID: Hashable, Row: View>(
    _ data: Data, id: KeyPath<Data.Element, ID>, selection: Binding<SelectionValue?>?,
    @ViewBuilder rowContent: @escaping (Data.Element) -> Row
  ) where Content == ForEach<Data, ID, Row> {
    self.init(selection.map { ListSelection($0) }, ForEach(data, id: id, content: rowContent))
  }

  /// A row for each element, told apart by what is at `id`; several can be selected.
  public init<Data: RandomAccessCollection, ID: Hashable, Row: View>(
    _ data: Data, id: KeyPath<Data.Element, ID>, selection: Binding<Set<SelectionValue>>?,
    @ViewBuilder rowContent: @escaping (Data.Element) -> Row
  ) where Content == ForEach<Data, ID, Row> {
    self.init(selection.map { ListSelection($0) }, ForEach(data, id: id, content: rowContent))
  }

  /// A row for each element, with a binding to it; one can be selected, by its identity.
  public init<Data: MutableCollection & RandomAccessCollection, Row: View>(
    _ data: Binding<Data>, selection: Binding<SelectionValue?>?,
    @ViewBuilder rowContent: @escaping (Binding<Data.Element>) -> Row
  )
  where
    Data.Element: Identifiable, Data.Index: Hashable,
    Content == ForEach<LazyMapSequence<Data.Indices, Binding<Data.Element>>, Data.Element.ID, Row>
  {
    self.init(selection.map { ListSelection($0) }, ForEach(data, content: rowContent))
  }
}

/// Controls one below the other, as in settings.
public struct Form<Content: View>: View {
  public typealias Body = Never
  private let content: Content

  /// Puts controls one below the other.
  public init(@ViewBuilder content: () -> Content) {
    self.content = content()
  }
}

extension Form: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    Composition(content) { [Element(node, .form, $0.all)] }
  }
}

/// A part of a list or a form, with what stands over and under it.
public struct Section<Parent: View, Content: View, Footer: View>: View {
  public typealias Body = Never
  private let header: Parent
  private let content: Content
  private let footer: Footer

  /// Content with something over and something under it.
  public init(
    @ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent, @ViewBuilder footer: () -> Footer
  ) {
    self.header = header()
    self.content = content()
    self.footer = footer()
  }
}

extension Section: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    Composition([Part(header, at: .index(0)), Part(content, at: .index(1)), Part(footer, at: .index(2))]) {
      [Element(node, .section(header: $0[0], footer: $0[2]), $0[1])]
    }
  }
}

extension Section where Parent == EmptyView, Footer == EmptyView {
  /// Content with nothing over or under it.
  public init(@ViewBuilder content: () -> Content) {
    self.init(content: content, header: { EmptyView() }, footer: { EmptyView() })
  }
}

extension Section where Footer == EmptyView {
  /// Content with something over it.
  public init(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent) {
    self.init(content: content, header: header, footer: { EmptyView() })
  }

  /// Content with something over it.
  public init(header: Parent, @ViewBuilder content: () -> Content) {
    self.init(content: content, header: { header }, footer: { EmptyView() })
  }
}

extension Section where Parent == EmptyView {
  /// Content with something under it.
  public init(@ViewBuilder content: () -> Content, @ViewBuilder footer: () -> Footer) {
    self.init(content: content, header: { EmptyView() }, footer: footer)
  }
}

extension Section where Parent == Text, Footer == EmptyView {
  /// Content with a title over it.
  public init(_ title: LocalizedStringKey, @ViewBuilder content: () -> Content) {
    self.init(content: content, header: { Text(title) }, footer: { EmptyView() })
  }

  /// Content with a title over it.
  @_disfavoredOverload public init(_ title: some StringProtocol, @ViewBuilder content: () -> Content) {
    self.init(content: content, header: { Text(title) }, footer: { EmptyView() })
  }
}
