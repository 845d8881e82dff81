import StarlingView

/// The picture where there is no space for panes: a line for each process, as many as have space, and the keys.
struct TinyPicture: View {
  let screen: Screen

  var body: some View {
    let picture = screen.picture
    let (columns, rows) = screen.size
    // The selected one is among those that are shown.
    let count = max(1, rows - 2)
    let first = max(0, min(picture.selected - count / 2, picture.panes.count - count))
    let shown = picture.panes.indices.dropFirst(first).prefix(count)
    VStack(alignment: .leading, spacing: 0) {
      Text(verbatim: "Starling: \(picture.isEqual ? "equal" : "not equal")".fitted(to: columns)).bold()
      ForEach(Array(shown), id: \.self) { place in
        Text(verbatim: line(picture.panes[place], place == picture.selected).fitted(to: columns))
          .foregroundStyle(picture.panes[place].state.color)
      }
      ForEach(0..<max(0, count - shown.count), id: \.self) { _ in Text(verbatim: " ") }
      KeyLine(screen: screen, columns: columns)
    }
  }

  private func line(_ pane: Picture.Pane, _ isSelected: Bool) -> String {
    "\(isSelected ? "▸" : " ")\(pane.name) \(pane.state.sign)\(pane.sight.title)"
  }
}
