import StarlingTerminal

/// A key of a keyboard, as a shortcut names it.
///
/// ```swift
/// Button("Quit") { quit() }.keyboardShortcut("q", modifiers: [])
/// ```
public struct KeyEquivalent: Hashable, Sendable {
  /// What the key writes. Keys that write nothing have the character that stands for them on Apple's systems.
  public let character: Character

  /// The key that writes `character`.
  public init(_ character: Character) {
    self.character = character
  }

  /// The arrow that points up.
  public static let upArrow = KeyEquivalent("\u{F700}")
  /// The arrow that points down.
  public static let downArrow = KeyEquivalent("\u{F701}")
  /// The arrow that points left.
  public static let leftArrow = KeyEquivalent("\u{F702}")
  /// The arrow that points right.
  public static let rightArrow = KeyEquivalent("\u{F703}")
  /// Escape.
  public static let escape = KeyEquivalent("\u{1B}")
  /// Return.
  public static let `return` = KeyEquivalent("\r")
  /// The space bar.
  public static let space = KeyEquivalent(" ")
}

extension KeyEquivalent: ExpressibleByExtendedGraphemeClusterLiteral {
  /// The key that writes the character, in source: `"q"`.
  public init(extendedGraphemeClusterLiteral character: Character) {
    self.init(character)
  }
}

/// What is held down with a key.
public struct EventModifiers: OptionSet, Hashable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Shift. A letter that is typed with it is another character: name that one.
  public static let shift = EventModifiers(rawValue: 2)
  /// Control.
  public static let control = EventModifiers(rawValue: 4)
  /// Option, or Alt.
  public static let option = EventModifiers(rawValue: 8)
  /// Command. Few terminals have it, so control stands in for it there.
  public static let command = EventModifiers(rawValue: 16)
}

/// A key that does what a control does, wherever the focus is.
public struct KeyboardShortcut: Hashable, Sendable {
  /// The key.
  public var key: KeyEquivalent
  /// What is held down with it.
  public var modifiers: EventModifiers

  /// A key with what is held down with it.
  public init(_ key: KeyEquivalent, modifiers: EventModifiers = .command) {
    self.key = key
    self.modifiers = modifiers
  }

  /// Return: what a person wants most of the time.
  public static let defaultAction = KeyboardShortcut(.return, modifiers: [])
  /// Escape: away from here.
  public static let cancelAction = KeyboardShortcut(.escape, modifiers: [])
}

extension View {
  /// Presses the control, or the first one inside, when the key is pressed and what has the focus does not take it: a
  /// text field takes what writes. A disabled control is not pressed.
  public func keyboardShortcut(_ key: KeyEquivalent, modifiers: EventModifiers = .command) -> some View {
    keyboardShortcut(KeyboardShortcut(key, modifiers: modifiers))
  }

  /// Presses the control, or the first one inside, when the shortcut's key is pressed and what has the focus does not
  /// take it; nil is no shortcut.
  public func keyboardShortcut(_ shortcut: KeyboardShortcut?) -> some View {
    MarkedView(content: self) { $0.actions.shortcut = shortcut }
  }
}

extension [Element] {
  /// What a key presses: of several with that shortcut the one that is read last, which lies on top.
  @MainActor func tap(for key: KeyEquivalent, _ modifiers: EventModifiers) -> (@MainActor () -> Void)? {
    var found: (@MainActor () -> Void)?
    for element in drawers.flatMap(\.children) + self {
      element.forEach { element in
        guard let shortcut = element.actions.shortcut, shortcut.key == key, shortcut.modifiers.inTerminal == modifiers
        else { return }
        found = element.tapInside ?? found
      }
    }
    return found
  }
}

extension Element {
  /// What tapping it does, or the first thing inside it that can be tapped now.
  @MainActor var tapInside: (@MainActor () -> Void)? {
    var found: (@MainActor () -> Void)?
    forEach { element in
      if found == nil, let tap = element.actions.tap, !element.style.isDisabled { found = tap }
    }
    return found
  }
}

extension EventModifiers {
  /// A terminal's modifiers: control for command, and no shift, which is in the character.
  fileprivate var inTerminal: EventModifiers {
    var modifiers = subtracting([.command, .shift])
    if contains(.command) { modifiers.insert(.control) }
    return modifiers
  }
}

extension KeyEquivalent {
  /// The key of a terminal; nil for one that no shortcut names.
  init?(_ code: Key.Code) {
    switch code {
    case .character(let character): self.init(character)
    case .enter: self = .return
    case .escape: self = .escape
    case .up: self = .upArrow
    case .down: self = .downArrow
    case .left: self = .leftArrow
    case .right: self = .rightArrow
    case .function(10): self = .f10
    default: return nil
    }
  }
}

extension EventModifiers {
  init(_ modifiers: KeyModifiers) {
    self = []
    if modifiers.contains(.control) || modifiers.contains(.command) { insert(.control) }
    if modifiers.contains(.alt) { insert(.option) }
  }
}
