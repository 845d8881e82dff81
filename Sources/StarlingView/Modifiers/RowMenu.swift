import StarlingGraph
import StarlingModel

/// What can be done with a view, shown over the rest when a person opens it: in a terminal with Ctrl+O or Shift+F10, in a
/// headless host with `openMenu(of:)`.
///
/// Menus of one view, of swipes and of its context, are shown as one.
struct RowMenuView<Content: View, Actions: View, Preview: View>: PrimitiveView {
  let content: Content
  let actions: Actions
  let preview: Preview

  func compose(in node: Node) -> Composition {
    let isOpen = node.memory { MenuState() }.isOpen
    let isShown = isOpen.value
    let menu = isShown ? [Part(preview, at: .index(1)), Part(actions, at: .index(2))] : []
    return Composition([Part(content, at: .index(0))] + menu) { drawn in
      let inner = drawn[0].filter(\.isMenu)
      var rows = drawn[0].filter { !$0.isMenu }
      if rows.isEmpty { return drawn[0] }
      if rows.count > 1 { rows = [Element(node, .group, rows)] }
      let (openInner, closeInner) = (rows[0].row.openMenu, rows[0].row.closeMenu)
      rows[0].row.openMenu = {
        openInner?()
        isOpen.store(true)
      }
      let close: @MainActor () -> Void = {
        closeInner?()
        isOpen.store(false)
      }
      rows[0].row.closeMenu = close
      guard isShown else { return rows }
      var sheet = Element(node, .sheet, inner.flatMap(\.children) + drawn[1] + drawn[2])
      sheet.children = sheet.children.map { $0.closing(close) }
      sheet.isMenu = true
      sheet.actions.dismiss = close
      return rows + [sheet]
    }
  }
}

@MainActor private final class MenuState {
  let isOpen = StateStorage(false)
}

extension Element {
  /// With every button in it closing the menu, whatever else it does.
  func closing(_ close: @escaping @MainActor () -> Void) -> Element {
    var copy = self
    copy.children = children.map { $0.closing(close) }
    if case .button = kind, let tap = actions.tap {
      copy.actions.tap = {
        tap()
        close()
      }
    }
    return copy
  }
}

extension View {
  /// What can be done with the view, by a menu of its own.
  public func contextMenu(@ViewBuilder menuItems: () -> some View) -> some View {
    RowMenuView(content: self, actions: menuItems(), preview: EmptyView())
  }

  /// What can be done with the view, by a menu of its own, with a view over it.
  public func contextMenu(
    @ViewBuilder menuItems: () -> some View, @ViewBuilder preview: () -> some View
  ) -> some View {
    RowMenuView(content: self, actions: menuItems(), preview: preview())
  }

  /// What can be done with the row: a menu here. The side and the full swipe have no effect.
  public func swipeActions(
    edge: HorizontalEdge = .trailing, allowsFullSwipe: Bool = true, @ViewBuilder content: () -> some View
  ) -> some View {
    RowMenuView(content: self, actions: content(), preview: EmptyView())
  }
}
