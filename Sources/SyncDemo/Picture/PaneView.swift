import StarlingView

/// One process: how it stands, what it reads, and what the readers of each property did.
///
/// ```
///   ┌────────────────────┐
///   │▸Ada          online│   the selected one is marked
///   │ process 4711       │
///   │ title  Dune      •3│   its readers ran three times, the last time a moment ago
///   │ shelf  12         1│
///   │ …                  │
///   └────────────────────┘
/// ```
struct PaneView: View {
  let pane: Picture.Pane
  let isSelected: Bool
  let now: Duration
  let columns: Int
  /// Whether there is space for all of it.
  let isWhole: Bool
  /// Whether a key restarts it where it was killed.
  let canRestart: Bool

  /// Columns inside the border.
  private var width: Int { columns - 2 }

  var body: some View {
    VStack(alignment: .leading, spacing: 0) {
      head
      if isWhole { line(process) }
      PropertyLine(self, "title", pane.sight.title, mark: pane.sight.titles.count > 1 ? "≠" : "")
      PropertyLine(self, "shelf", "\(pane.sight.shelf)")
      PropertyLine(self, "isAvailable", pane.sight.isAvailable ? "yes" : "no", label: "here")
      PropertyLine(self, "copies", "\(pane.sight.copies)")
      if isWhole {
        line("notice \(pane.sight.notice)")
        line("next   \(pane.sight.readingList.joined(separator: ", "))")
      }
      line("saved  \(pane.sight.acknowledgedEdits.grouped) of \(pane.sight.edits.grouped)")
      if isWhole { line("merged \(pane.sight.merged.grouped) = \(digest)") }
      line(presence)
    }
    .frame(width: CGFloat(width * 8))
    .foregroundStyle(pane.state.isRunning ? Color.primary : .secondary)
    .border(isSelected ? Color.accentColor : pane.state.color)
  }

  private var head: Text {
    let state = pane.state.sign + pane.state.rawValue
    let name = (isSelected ? "▸" : " ") + pane.name
    let blank = String(repeating: " ", count: max(1, width - name.columnCount - state.columnCount))
    return Text(verbatim: name).bold() + Text(verbatim: blank)
      + Text(verbatim: state).bold().foregroundStyle(pane.state.color)
  }

  private var process: String {
    switch pane.state {
    case .starting: "starts …"
    case .killed: "killed with -9"
    default: "process \(pane.processIdentifier)"
    }
  }

  private var digest: String { pane.sight.digest.isEmpty ? "…" : String(pane.sight.digest.prefix(6)) }

  private var presence: String {
    if pane.state == .killed { return canRestart ? "r restarts it" : "" }
    let names = pane.sight.presence
    return names.isEmpty ? "nobody else is here" : "with " + names.joined(separator: ", ")
  }

  private func line(_ text: String) -> Text { Text(verbatim: " " + text.fitted(to: width - 1)) }

  /// A property: its value, and how often its readers ran, lit where they did so a moment ago.
  private struct PropertyLine: View {
    let label: String
    let value: String
    let mark: String
    let runs: String
    let isLit: Bool
    let width: Int

    init(_ pane: PaneView, _ property: String, _ value: String, label: String? = nil, mark: String = "") {
      self.label = label ?? property
      self.value = value
      self.mark = mark
      isLit = pane.pane.isLit(property, at: pane.now)
      runs = (isLit ? "•" : "") + "\(pane.pane.sight.runs[property] ?? 0)"
      width = pane.width
    }

    var body: some View {
      let count = " " + runs
      let left = width - 1 - count.columnCount
      let text = (label.filled(to: 7) + mark + value).fitted(to: left).filled(to: left)
      Text(verbatim: " " + text).bold(isLit)
        + Text(verbatim: count).bold(isLit).foregroundStyle(isLit ? Color.green : .secondary)
    }
  }
}

extension PeerState {
  /// Seen without colours too.
  var sign: String {
    switch self {
    case .online, .done: "● "
    case .cutOff: "○ "
    case .killed: "✗ "
    case .starting: "… "
    }
  }

  var color: Color {
    switch self {
    case .online, .done: .green
    case .cutOff: .yellow
    case .killed: .red
    case .starting: .cyan
    }
  }
}
