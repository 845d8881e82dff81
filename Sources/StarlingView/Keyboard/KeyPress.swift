public import Foundation
import StarlingTerminal

/// A key that was pressed, as `onKeyPress` hears of it.
public struct KeyPress: Sendable {
  /// The key.
  public let key: KeyEquivalent
  /// What it writes.
  public let characters: String
  /// What was held down with it.
  public let modifiers: EventModifiers
  /// What happened to it: here keys only go down.
  public let phase: Phases

  /// What happens to a key.
  public struct Phases: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// It goes down.
    public static let down = Phases(rawValue: 1)
    /// It is held; hosts here tell of no such thing.
    public static let `repeat` = Phases(rawValue: 2)
    /// It goes up; hosts here tell of no such thing.
    public static let up = Phases(rawValue: 4)
    /// All of them.
    public static let all: Phases = [.down, .repeat, .up]
  }

  /// Whether a key meant something.
  public enum Result: Hashable, Sendable {
    /// It did, and means nothing more.
    case handled
    /// It did not.
    case ignored
  }
}

/// What hears of keys.
struct KeyAction {
  let hears: (KeyPress) -> Bool
  let action: @MainActor (KeyPress) -> KeyPress.Result
}

extension View {
  /// Does something when a key is pressed while the focus is in the view.
  public func onKeyPress(_ key: KeyEquivalent, action: @escaping () -> KeyPress.Result) -> some View {
    hearing({ $0.key == key }) { _ in action() }
  }

  /// Does something when a key is pressed while the focus is in the view. Hosts here tell only of keys that go down.
  public func onKeyPress(
    _ key: KeyEquivalent, phases: KeyPress.Phases, action: @escaping (KeyPress) -> KeyPress.Result
  ) -> some View {
    hearing({ $0.key == key && phases.contains($0.phase) }, action)
  }

  /// Does something when one of several keys is pressed while the focus is in the view.
  public func onKeyPress(
    keys: Set<KeyEquivalent>, phases: KeyPress.Phases = [.down, .repeat],
    action: @escaping (KeyPress) -> KeyPress.Result
  ) -> some View {
    hearing({ keys.contains($0.key) && phases.contains($0.phase) }, action)
  }

  /// Does something when a key is pressed that writes one of `characters`, while the focus is in the view.
  public func onKeyPress(
    characters: CharacterSet, phases: KeyPress.Phases = [.down, .repeat],
    action: @escaping (KeyPress) -> KeyPress.Result
  ) -> some View {
    hearing(
      { press in phases.contains(press.phase) && press.characters.unicodeScalars.allSatisfy(characters.contains) },
      action)
  }

  /// Does something when any key is pressed while the focus is in the view.
  public func onKeyPress(
    phases: KeyPress.Phases = [.down, .repeat], action: @escaping (KeyPress) -> KeyPress.Result
  ) -> some View {
    hearing({ phases.contains($0.phase) }, action)
  }

  private func hearing(
    _ hears: @escaping (KeyPress) -> Bool, _ action: @escaping (KeyPress) -> KeyPress.Result
  ) -> some View {
    MarkedView(content: self) { $0.actions.keys.append(KeyAction(hears: hears) { action($0) }) }
  }
}

extension [Element] {
  /// Tells of a key, from what has the focus outwards, until something takes it.
  ///
  /// - Parameter id: What has the focus; nil: nothing, and only what is around everything hears of it.
  /// - Returns: Whether it was taken.
  @MainActor func pressed(_ key: Key, around id: ElementID?) -> Bool {
    guard let press = KeyPress(key) else { return false }
    return pressed(press, around: id)
  }

  /// The same for a headless host.
  @MainActor func pressed(_ key: HeadlessHost.Key, around id: ElementID?) -> Bool {
    guard let press = KeyPress(key) else { return false }
    return pressed(press, around: id)
  }

  @MainActor private func pressed(_ press: KeyPress, around id: ElementID?) -> Bool {
    guard let id, let path = path(to: id) else { return false }
    for element in path.reversed() {
      for key in element.actions.keys where key.hears(press) && key.action(press) == .handled { return true }
    }
    return false
  }
}

extension KeyPress {
  init(_ key: KeyEquivalent, _ modifiers: EventModifiers = []) {
    self.key = key
    self.modifiers = modifiers
    characters = String(key.character)
    phase = .down
  }

  init?(_ key: Key) {
    guard let equivalent = KeyEquivalent(pressed: key.code) else { return nil }
    var modifiers = EventModifiers(key.modifiers)
    if key.modifiers.contains(.shift) { modifiers.insert(.shift) }
    self.init(equivalent, modifiers)
  }

  init?(_ key: HeadlessHost.Key) {
    switch key {
    case .tab: self.init(KeyEquivalent.tab)
    case .backTab: self.init(KeyEquivalent.tab, .shift)
    case .delete: self.init(KeyEquivalent.delete)
    case .menu: return nil
    default:
      guard let equivalent = KeyEquivalent(key) else { return nil }
      self.init(equivalent)
    }
  }
}

extension KeyEquivalent {
  /// Tab.
  public static let tab = KeyEquivalent("\t")
  /// What takes the character before the cursor away.
  public static let delete = KeyEquivalent("\u{7F}")
  /// What takes the character behind the cursor away.
  public static let deleteForward = KeyEquivalent("\u{F728}")
  /// To the beginning.
  public static let home = KeyEquivalent("\u{F729}")
  /// To the end.
  public static let end = KeyEquivalent("\u{F72B}")
  /// A page up.
  public static let pageUp = KeyEquivalent("\u{F72C}")
  /// A page down.
  public static let pageDown = KeyEquivalent("\u{F72D}")

  /// Any key of a terminal that a program can hear of.
  fileprivate init?(pressed code: Key.Code) {
    switch code {
    case .tab: self = .tab
    case .backspace: self = .delete
    case .delete: self = .deleteForward
    case .home: self = .home
    case .end: self = .end
    case .pageUp: self = .pageUp
    case .pageDown: self = .pageDown
    default: self.init(code)
    }
  }
}
