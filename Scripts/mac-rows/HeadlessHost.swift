#if canImport(AppKit)
  public import AppKit
  public import SwiftUI

  /// SwiftUI in a window, read and pressed through what it tells assistive programs: as much of StarlingView's host of
  /// the same name as SwiftUI can answer. A test that asks for more does not compile, and is left out.
  @MainActor public final class HeadlessHost {
    private let window: NSWindow

    public init(@ViewBuilder _ content: () -> some View) {
      let application = NSApplication.shared
      application.setActivationPolicy(.accessory)
      // Without it SwiftUI describes nothing to anybody.
      application.accessibilitySetValue(
        true, forAttribute: NSAccessibility.Attribute(rawValue: "AXEnhancedUserInterface"))
      Evaluations.counts = [:]
      window = NSWindow(
        contentRect: NSRect(x: 0, y: 0, width: 640, height: 384), styleMask: [.titled], backing: .buffered,
        defer: false)
      window.isReleasedWhenClosed = false
      window.contentView = NSHostingView(rootView: VStack { content() })
      window.makeKeyAndOrderFront(nil)
      turn()
    }

    isolated deinit {
      window.contentView = nil
      window.close()
      turn()
    }

    // MARK: Reading

    /// A line for each thing, in the words that StarlingView's host has for it.
    public var text: [String] {
      turn()
      return elements.compactMap { element in
        let label = Self.label(of: element)
        switch element.accessibilityRole() {
        case .staticText: return (element.accessibilityValue() as? String) ?? label
        case .button, .link, .menuButton: return label
        case .checkBox: return "[\(Self.isOn(element) ? "x" : " ")] \(label)"
        case .textField, .textArea: return "\(label): \((element.accessibilityValue() as? String) ?? "")"
        case .slider, .incrementor: return "\(label): \(element.accessibilityValue() ?? "")"
        default: return nil
        }
      }
    }

    public func evaluations<Content>(of type: Content.Type) -> Int {
      turn()
      return Evaluations.counts[ObjectIdentifier(type)] ?? 0
    }

    public var focused: String? {
      turn()
      return elements.first { $0.isAccessibilityFocused() }.map(Self.label)
    }

    // MARK: Acting

    public func tap(_ label: String) throws {
      let element = try find(label, among: [.button, .checkBox, .radioButton, .link, .menuButton])
      _ = element.accessibilityPerformPress()
      turn()
    }

    public func toggle(_ label: String) throws {
      _ = try find(label, among: [.checkBox]).accessibilityPerformPress()
      turn()
    }

    public func type(_ text: String, into label: String) throws {
      let field = try find(label, among: [.textField, .textArea])
      field.setAccessibilityFocused(true)
      turn()
      if let editor = window.firstResponder as? NSTextView {
        editor.selectAll(nil)
        editor.insertText(text, replacementRange: editor.selectedRange())
      } else {
        field.setAccessibilityValue(text)
      }
      turn()
    }

    public func increment(_ label: String) throws {
      _ = try find(label, among: [.incrementor, .slider]).accessibilityPerformIncrement()
      turn()
    }

    public func decrement(_ label: String) throws {
      _ = try find(label, among: [.incrementor, .slider]).accessibilityPerformDecrement()
      turn()
    }

    public func focus(_ label: String?) throws {
      if let label {
        try find(label, among: nil).setAccessibilityFocused(true)
      } else {
        window.makeFirstResponder(nil)
      }
      turn()
    }

    public enum Key: Sendable, Hashable {
      case tab, backTab, `return`, space, escape, delete, up, down, left, right
      case character(Character)
    }

    public func press(_ key: Key) {
      let (characters, code, flags) = Self.event(of: key)
      for kind in [NSEvent.EventType.keyDown, .keyUp] {
        let event = NSEvent.keyEvent(
          with: kind, location: .zero, modifierFlags: flags, timestamp: ProcessInfo.processInfo.systemUptime,
          windowNumber: window.windowNumber, context: nil, characters: characters,
          charactersIgnoringModifiers: characters, isARepeat: false, keyCode: code)
        if let event { window.sendEvent(event) }
      }
      turn()
    }

    // MARK: Time

    public func advance(by duration: Duration) {
      let (seconds, attoseconds) = duration.components
      turn(for: Double(seconds) + Double(attoseconds) / 1e18)
    }

    public func settle() async {
      for _ in 0..<20 {
        turn()
        await Task.yield()
      }
    }

    /// Lets SwiftUI do what is due.
    private func turn(for seconds: Double = 0.02) {
      window.contentView?.layoutSubtreeIfNeeded()
      RunLoop.main.run(until: Date(timeIntervalSinceNow: seconds))
    }

    // MARK: Finding

    private typealias Element = any NSAccessibilityProtocol

    private var elements: [Element] {
      var found: [Element] = []
      func walk(_ element: Any) {
        guard let element = element as? any NSAccessibilityProtocol else { return }
        if element.isAccessibilityElement() { found.append(element) }
        for child in element.accessibilityChildren() ?? [] { walk(child) }
      }
      if let content = window.contentView { walk(content) }
      return found
    }

    private func find(_ label: String, among roles: Set<NSAccessibility.Role>?) throws -> Element {
      turn()
      let candidates = elements.filter { element in
        roles.map { roles in element.accessibilityRole().map(roles.contains) ?? false } ?? true
      }
      let found = candidates.filter { Self.label(of: $0) == label }
      if let usable = found.first(where: { $0.isAccessibilityEnabled() }) { return usable }
      throw HeadlessHostError(label: label, labels: candidates.map(Self.label), isDisabled: !found.isEmpty)
    }

    private static func label(of element: Element) -> String {
      for text in [element.accessibilityLabel(), element.accessibilityTitle(), element.accessibilityPlaceholderValue()]
      {
        if let text, !text.isEmpty { return text }
      }
      return ""
    }

    private static func isOn(_ element: Element) -> Bool {
      (element.accessibilityValue() as? NSNumber)?.boolValue ?? false
    }

    private static func event(of key: Key) -> (characters: String, code: UInt16, flags: NSEvent.ModifierFlags) {
      switch key {
      case .tab: ("\t", 48, [])
      case .backTab: ("\u{19}", 48, .shift)
      case .return: ("\r", 36, [])
      case .space: (" ", 49, [])
      case .escape: ("\u{1B}", 53, [])
      case .delete: ("\u{7F}", 51, [])
      case .up: ("\u{F700}", 126, [])
      case .down: ("\u{F701}", 125, [])
      case .left: ("\u{F702}", 123, [])
      case .right: ("\u{F703}", 124, [])
      case .character(let character): (String(character), 0, [])
      }
    }
  }

  public struct HeadlessHostError: Error, CustomStringConvertible, Hashable {
    public let label: String
    public let labels: [String]
    public let isDisabled: Bool

    public var description: String {
      isDisabled ? "'\(label)' is disabled." : "Nothing is labelled '\(label)'. There is: \(labels)."
    }
  }
#endif
