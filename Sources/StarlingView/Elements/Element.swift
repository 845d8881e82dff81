import Foundation
package import StarlingTerminal

/// What a host draws: one thing on the screen, as a value.
///
///     Element
///     ├─ id          the place that drew it: stays while the view stays
///     ├─ kind        what it is: a text, a button, a stack …
///     ├─ style       how it looks
///     ├─ actions     what a person can do with it
///     └─ children    what stands inside it
///
/// Hosts read it and draw; they change nothing but through the actions.
package struct Element {
  /// Tells elements apart from one frame to the next: focus and scrolling go by it.
  package var id: ElementID
  package var kind: Kind
  package var style = Style()
  package var children: [Element] = []
  package var actions = Actions()

  /// What a person hears instead of what is drawn, if that was said.
  package var accessibilityLabel: String?
  /// What choosing it in a picker, a list or a row of tabs means.
  package var tag: AnyHashable?
  /// Whether it is a row of a list that is selected.
  package var isSelected = false
  /// By what it can be scrolled to.
  package var scrollID: AnyHashable?
  /// What a person can do with it as a row.
  package var row = RowActions()
  /// Whether it is the open menu of a view.
  package var isMenu = false
  /// Whether its children are cells of a grid.
  var isGridRow = false
  /// How many columns of a grid it takes.
  var gridSpan = 1
  /// What it says to the layout in which it stands.
  var layoutValues: [ObjectIdentifier: Any] = [:]
  /// Whether it leads to the value of its tag, which a list may select instead.
  package var isValueLink = false
  /// Whether the screen that it stands on has no button that goes back.
  package var hidesBack = false
  /// What stands on its tab, where it is one of several.
  package var tabLabel: [Element] = []

  package init(_ node: Node, _ kind: Kind, _ children: [Element] = []) {
    id = ElementID(node: node.number)
    self.kind = kind
    self.children = children
    style.isDisabled = !node.environment.isEnabled
  }

  package enum Kind {
    case text(StyledText)
    /// Its label is its children.
    case button(role: ButtonRole?)
    /// Its label is its children.
    case toggle(isOn: Bool)
    /// Its label is its children.
    case field(text: String, prompt: String?, isSecret: Bool, isMultiline: Bool)
    /// Its label is its children.
    case stepper(value: String?)
    /// Its label is its children; `value` lies within `bounds`.
    case slider(value: Double, bounds: ClosedRange<Double>)
    /// The options are `children`, those of the label stand in `label`.
    case picker(selected: Int?, label: [Element])
    /// Its label is its children; nil: how much is done is not known.
    case progress(fraction: Double?)
    /// Stands in for a picture.
    case image(name: String)
    case stack(Axis, alignment: Alignment, spacing: Double?)
    /// Children over each other, the first at the back.
    case overlay(alignment: Alignment)
    case spacer(minLength: Double?)
    case divider
    case scroll(Axis.Set)
    case list
    case form
    /// Its content is its children.
    case section(header: [Element], footer: [Element])
    /// Its children are the content of the selected tab.
    case tabs(labels: [[Element]], selected: Int)
    /// The name of a screen.
    case title(String)
    /// What lies over the rest until it is dismissed.
    case sheet
    case alert(title: String)
    /// Only arranges or styles what stands inside it.
    case group
    /// A surface in one colour.
    case fill(Color)
    /// Children where an arrangement has them.
    case arranged(any BlockArrangement)
    /// Takes all the space that there is, and is told how much.
    case geometry
    /// What can be opened over the rest; closed, only the shortcuts of its children act.
    case drawer
  }
}

/// Tells elements apart from one frame to the next.
package struct ElementID: Hashable, Sendable {
  package let node: UInt64
}

/// What a person can do with an element. All of them act on the state behind it; what changes shows in the next frame.
package struct Actions {
  /// A tap, or return while it has the focus.
  package var tap: (@MainActor () -> Void)?
  /// Puts a text in the place of a field's.
  package var type: (@MainActor (String) -> Void)?
  /// Return in a field.
  package var submit: (@MainActor () -> Void)?
  /// One step up or down, of a stepper or a slider.
  package var step: (@MainActor (_ isUp: Bool) -> Void)?
  /// Chooses one of several, by its place: options, tabs.
  package var choose: (@MainActor (Int) -> Void)?
  /// Moves a slider.
  package var slide: (@MainActor (Double) -> Void)?
  /// Tells how large it is and where it stands, in points.
  var measured: (@MainActor (CGRect) -> Void)?
  /// A press that lasts.
  var longPress: (@MainActor (GestureStep) -> Void)?
  /// A step of a way that is drawn over it.
  var drag: (@MainActor (GestureStep) -> Void)?
  /// Takes what lies over the rest away.
  package var dismiss: (@MainActor () -> Void)?
  /// Whether it is the field in which one searches.
  package var isSearch = false
  /// Keys that it takes, or what stands in it.
  var keys: [KeyAction] = []
  /// Whether tapping it goes back to the screen before.
  package var isBack = false
  /// The key that taps it, or the first thing inside that can be tapped, wherever the focus is.
  package var shortcut: KeyboardShortcut?

  package init() {}

  /// Whether a person can go to it by key.
  package var isFocusable = false
}

extension [Element] {
  /// What can be opened over the rest.
  var drawers: [Element] {
    flatMap { element -> [Element] in
      if case .drawer = element.kind { return [element] }
      return element.children.drawers
    }
  }
}

extension Element {
  package var isField: Bool {
    if case .field = kind { return true }
    return false
  }

  /// Whether it can have the focus now.
  package var isFocusable: Bool { actions.isFocusable && !style.isDisabled && !style.isHidden }

  /// It and all inside it, from the front to the back of what is read.
  package func forEach(_ visit: (Element) -> Void) {
    if style.isHidden { return }
    visit(self)
    switch kind {
    case .drawer: break
    case .section(let header, let footer):
      for element in header { element.forEach(visit) }
      for element in children { element.forEach(visit) }
      for element in footer { element.forEach(visit) }
    case .picker(_, let label):
      for element in label { element.forEach(visit) }
    case .tabs(let labels, _):
      for element in labels.joined() { element.forEach(visit) }
      for element in children { element.forEach(visit) }
    default:
      for element in children { element.forEach(visit) }
    }
  }

  /// The words in it, as one reads them aloud: by what a person names it.
  package var label: String {
    if let accessibilityLabel { return accessibilityLabel }
    switch kind {
    case .text(let text): return text.string
    case .image(let name): return name
    case .title(let title), .alert(let title): return title
    case .picker(_, let label): return Element.label(of: label)
    default: return Element.label(of: children)
    }
  }

  package static func label(of elements: [Element]) -> String {
    // A label's picture says what its title says; it is read only where there is nothing else.
    let visible = elements.filter { !$0.style.isHidden }
    let words = visible.filter { !$0.isPicture }.map(\.label).filter { !$0.isEmpty }
    return (words.isEmpty ? visible.map(\.label).filter { !$0.isEmpty } : words).joined(separator: " ")
  }

  private var isPicture: Bool {
    if case .image = kind, accessibilityLabel == nil { return true }
    return false
  }
}
