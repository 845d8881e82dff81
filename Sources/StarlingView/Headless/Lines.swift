import Foundation

extension Element {
  /// What a person would read of it, line by line.
  package var lines: [String] {
    if style.isHidden { return [] }
    switch kind {
    case .text(let text): return text.string.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    case .button: return [label]
    case .toggle(let isOn): return ["\(isOn ? "[x]" : "[ ]") \(label)"]
    case .field(let text, let prompt, let isSecret, _):
      let shown = text.isEmpty ? prompt ?? "" : isSecret ? String(repeating: "•", count: text.count) : text
      return [named(shown)]
    case .stepper: return children.flatMap(\.lines)
    case .slider(let value, _): return [named("\(value)")]
    case .picker(let selected, _): return [named(selected.map { children[$0].label } ?? "")]
    case .progress(let fraction):
      let done = fraction.map { "\(Int(($0 * 100).rounded()))%" } ?? "…"
      return [named(done)]
    case .image: return [label]
    case .title(let title): return [title]
    case .alert(let title): return [title] + children.flatMap(\.lines)
    case .section(let header, let footer): return (header + children + footer).flatMap(\.lines)
    case .tabs(let labels, _): return labels.map(Element.label(of:)) + children.flatMap(\.lines)
    case .spacer, .divider, .fill: return []
    case .drawer: return []
    case .stack, .overlay, .scroll, .list, .form, .sheet, .group, .arranged, .geometry: return children.flatMap(\.lines)
    }
  }

  private func named(_ content: String) -> String {
    if label.isEmpty { return content }
    return content.isEmpty ? "\(label):" : "\(label): \(content)"
  }
}

extension Element {
  /// One line for each element, those inside it further to the right.
  func outline(indent: String) -> String {
    var name = "\(kind)"
    if let end = name.firstIndex(of: "(") { name = String(name[..<end]) }
    let marks = [style.isHidden ? " hidden" : "", style.isDisabled ? " disabled" : ""].joined()
    let inner = children.map { $0.outline(indent: indent + "  ") }.joined()
    return "\(indent)\(name)\(label.isEmpty ? "" : " '\(label)'")\(marks)\n" + inner
  }
}

/// One of several tabs, as a person chooses it.
struct TabChoice {
  let label: String
  let choose: @MainActor () -> Void
}

extension [Element] {
  var tabChoices: [TabChoice] {
    var choices: [TabChoice] = []
    for element in self {
      element.forEach { element in
        guard case .tabs(let labels, _) = element.kind, let choose = element.actions.choose else { return }
        choices += labels.enumerated().map { place, label in
          TabChoice(label: Element.label(of: label)) { choose(place) }
        }
      }
    }
    return choices
  }
}
