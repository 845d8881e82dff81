/// What a person can do with a row as a whole, by keys of a terminal: delete it, move it, open its menu.
package struct RowActions {
  package var delete: (@MainActor () -> Void)?
  /// Moves the row so many places down; up for negative ones. Places that are not there are the nearest.
  package var move: (@MainActor (_ distance: Int) -> Void)?
  /// Shows what can be done with it over the rest.
  package var openMenu: (@MainActor () -> Void)?
  /// Takes the menu away.
  var closeMenu: (@MainActor () -> Void)?
  package var isDeleteDisabled = false
  package var isMoveDisabled = false
  /// Whether it is drawn as one of those that a person arranges.
  package var isEditing = false

  package init() {}

  /// Whether there is anything to be done with it.
  package var isUsable: Bool { delete != nil || move != nil || openMenu != nil }
}

extension [Element] {
  /// What can be done with the row in which `id` stands: each by the innermost element around it that can.
  package func rowActions(around id: ElementID) -> RowActions? {
    guard let path = path(to: id) else { return nil }
    var actions = RowActions()
    for element in path {
      actions.delete = element.row.delete ?? actions.delete
      actions.move = element.row.move ?? actions.move
      actions.openMenu = element.row.openMenu ?? actions.openMenu
    }
    return actions
  }
}

extension [Element] {
  /// The elements around `id`, from the outside in, and that itself; nil where it is not here.
  func path(to id: ElementID) -> [Element]? {
    for element in self {
      if let path = element.path(to: id) { return path }
    }
    return nil
  }
}

extension Element {
  /// Whether its label is `label`, or that of something in it.
  func bears(_ label: String) -> Bool { self.label == label || children.contains { $0.bears(label) } }

  /// The elements around `id`, from the outside in, and that itself; nil where it is not in here.
  fileprivate func path(to id: ElementID) -> [Element]? {
    for child in children {
      if let inner = child.path(to: id) { return [self] + inner }
    }
    return self.id == id ? [self] : nil
  }

  /// With what a list does for its rows: one with actions and nothing to use in it can have the focus itself.
  @MainActor func usableRow(in node: Node) -> Element {
    if case .section = kind {
      var copy = self
      copy.children = children.map { $0.usableRow(in: node) }
      return copy
    }
    guard row.isUsable, [self].focusable.isEmpty else { return self }
    var whole = Element(node, .group, [self])
    whole.id = id
    whole.row = row
    whole.tag = tag
    whole.scrollID = scrollID
    whole.actions.isFocusable = true
    return whole
  }
}
