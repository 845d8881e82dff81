import StarlingBinding
import StarlingGraph
import StarlingModel

/// What can be shown over a program at any time: its menus, its settings. Closed, only its shortcuts act.
struct DrawerView<Content: View, Hidden: View>: PrimitiveView {
  let content: Content
  let hidden: Hidden
  let title: String
  let key: KeyEquivalent?
  let modifiers: EventModifiers
  /// Whether a choice closes it.
  let isMenu: Bool

  func compose(in node: Node) -> Composition {
    let isOpen = node.memory { DrawerState() }.isOpen
    let isShown = isOpen.value
    let (title, key, modifiers, isMenu) = (title, key, modifiers, isMenu)
    let close: @MainActor () -> Void = { isOpen.store(false) }
    let scope = node.memory { EnvironmentScope(parent: node.environment) }
    var values = EnvironmentValues(in: node.environment)
    values.dismiss = DismissAction(close)
    scope.update(values.writes)
    return Composition([Part(content, at: .index(0)), Part(hidden, at: .index(1), environment: scope)]) { drawn in
      guard !drawn[1].isEmpty else { return drawn[0] }
      guard !isShown else {
        let choices = isMenu ? drawn[1].map { $0.closing(close) } : drawn[1]
        var sheet = Element(node, .sheet, [Element(node, .title(title))] + choices)
        sheet.actions.dismiss = close
        return drawn[0] + [sheet]
      }
      var opener = Element(node, .button(role: nil))
      opener.accessibilityLabel = title
      opener.actions.tap = { isOpen.store(true) }
      opener.actions.shortcut = key.map { KeyboardShortcut($0, modifiers: modifiers) }
      return drawn[0] + [Element(node, .drawer, [opener] + drawn[1])]
    }
  }
}

@MainActor private final class DrawerState {
  let isOpen = StateStorage(false)
}

extension View {
  /// What a key opens over the view.
  func background(
    drawer hidden: some View, title: String, key: KeyEquivalent?, modifiers: EventModifiers = [], isMenu: Bool = true
  ) -> some View {
    DrawerView(content: self, hidden: hidden, title: title, key: key, modifiers: modifiers, isMenu: isMenu)
  }
}

extension KeyEquivalent {
  /// F10, by the character that stands for it on Apple's systems.
  static let f10 = KeyEquivalent("\u{F70D}")
}
