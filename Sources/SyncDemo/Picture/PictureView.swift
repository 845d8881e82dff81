import StarlingView

/// The whole picture.
///
/// ```
///   Starling                        3 processes, all equal
///   1,204 edits/s ▂▃▅▇  9,000 edits, 8,900 durable  readers 9,500 of 9,500
///   ┌ Ada ┐━━━┌ Ben ┐╌╳╌┌ Cleo ┐
///   └─────┘   └─────┘   └──────┘
///      ┗━━━━━━━━━╳━━━━━━━━┛
///   what happens, and what to look at
///   what happened
///   the keys
/// ```
struct PictureView: View {
  let screen: Screen

  var body: some View {
    let plan = PicturePlan(screen.picture, columns: screen.size.columns, rows: screen.size.rows)
    if plan.isTiny { TinyPicture(screen: screen) } else { whole(plan) }
  }

  private func whole(_ plan: PicturePlan) -> some View {
    let picture = screen.picture
    let columns = screen.size.columns
    return VStack(alignment: .leading, spacing: 0) {
      HeadView(picture: picture, columns: columns, hiddenCount: picture.panes.count - plan.shown.count)
      PaneRow(picture: picture, plan: plan) { screen.select($0) }
      LinkRows(picture: picture, plan: plan)
      ConflictLine(picture: picture, columns: columns)
      CaptionView(picture: picture, plan: plan, columns: columns)
      ForEach(storyLines(picture, plan), id: \.place) { line in
        Text(verbatim: line.text.fitted(to: columns)).foregroundStyle(.secondary)
      }
      KeyLine(screen: screen, columns: columns)
    }
  }

  /// As many lines as have space, blank ones first: the keys stand at the foot of the screen.
  private func storyLines(_ picture: Picture, _ plan: PicturePlan) -> [(place: Int, text: String)] {
    let last = picture.story.suffix(plan.storyRows)
    let blank = Array(repeating: " ", count: plan.storyRows - last.count)
    return (Array(last) + blank).enumerated().map { ($0.offset, $0.element) }
  }
}

/// What it is, and the figures of all processes.
private struct HeadView: View {
  let picture: Picture
  let columns: Int
  let hiddenCount: Int

  var body: some View {
    VStack(alignment: .leading, spacing: 0) {
      Text(verbatim: "Starling").bold()
        + Text(verbatim: title.aligned(right: standing, columns: columns - 8))
      Text(verbatim: figures.fitted(to: columns)).foregroundStyle(.secondary)
    }
  }

  private var title: String {
    let hidden = hiddenCount > 0 ? " (\(hiddenCount) more: ← →)" : ""
    return "  \(picture.panes.count) processes edit one library" + hidden
  }

  private var standing: String {
    let running = picture.panes.count { $0.state.isRunning }
    if picture.panes.contains(where: { $0.state == .starting }) { return "starting …" }
    return picture.isEqual ? "= all \(running) equal" : "≠ not equal now"
  }

  private var figures: String {
    let rate = "\(picture.throughput.current.grouped) edits/s".filled(to: 14)
    let width = columns >= 100 ? 24 : 8
    return rate + picture.throughput.bars(width).filled(to: width)
      + "  \(picture.edits.grouped) edits, readers ran \(picture.wakesSeen.grouped) times, "
      + (picture.wakesSeen == picture.wakesExpected ? "each for a change" : "\(picture.wakesExpected.grouped) expected")
  }
}

/// The panes side by side, with the links between neighbours.
private struct PaneRow: View {
  let picture: Picture
  let plan: PicturePlan
  let select: (Int) -> Void

  var body: some View {
    HStack(alignment: .center, spacing: 0) {
      ForEach(plan.shown, id: \.self) { place in
        if place != plan.shown.first { Gap(link: link(before: place), columns: plan.gapColumns) }
        PaneView(
          pane: picture.panes[place], isSelected: place == picture.selected, now: picture.now,
          columns: plan.paneColumns, isWhole: plan.isWhole, canRestart: picture.lead == .keys
        )
        .onTapGesture { select(place) }
        .keyboardShortcut(digit(place))
      }
    }
  }

  private func digit(_ place: Int) -> KeyboardShortcut? {
    place < 9 ? KeyboardShortcut(KeyEquivalent(Character("\(place + 1)")), modifiers: []) : nil
  }

  private func link(before place: Int) -> Picture.Link? { picture.hasDaemon ? nil : picture.link(place - 1, place) }
}

private struct Gap: View {
  let link: Picture.Link?
  let columns: Int

  var body: some View {
    Text(verbatim: LinkDrawing.gap(link, width: columns)).foregroundStyle(link?.color ?? .primary)
  }
}

/// The links between those that are not neighbours.
private struct LinkRows: View {
  let picture: Picture
  let plan: PicturePlan

  var body: some View {
    let rows = LinkDrawing(picture: picture, middles: plan.middles, shown: plan.shown).rows(atMost: plan.linkRows)
    ForEach(Array(rows.enumerated()), id: \.offset) { row in
      row.element.reduce(Text(verbatim: "")) { line, run in
        line + Text(verbatim: run.text).foregroundStyle(run.link?.color ?? .secondary)
      }
    }
    if rows.count < plan.linkRows { Text(verbatim: " ") }
  }
}

/// A conflict that somebody sees, and what is shown for it.
private struct ConflictLine: View {
  let picture: Picture
  let columns: Int

  var body: some View {
    if let pane = picture.panes.first(where: { $0.state.isRunning && $0.sight.titles.count > 1 }) {
      let others = pane.sight.titles.dropFirst().map { "“\($0)”" }.joined(separator: ", ")
      let text = "≠ Conflict: “\(pane.sight.title)” is shown, \(others) is there too."
      Text(verbatim: text.fitted(to: columns)).foregroundStyle(.yellow).bold()
    } else {
      Text(verbatim: " ")
    }
  }
}

private struct CaptionView: View {
  let picture: Picture
  let plan: PicturePlan
  let columns: Int

  var body: some View {
    Text(verbatim: picture.caption.title.fitted(to: columns)).bold()
    if plan.captionRows > 0 {
      // Always as high, so that nothing below it moves.
      Text(verbatim: picture.caption.text.isEmpty ? " " : picture.caption.text)
        .lineLimit(plan.captionRows)
        .frame(width: CGFloat(columns * 8), height: CGFloat(plan.captionRows * 16), alignment: .topLeading)
    }
  }
}

extension Picture.Link {
  var color: Color {
    switch self {
    case .linked: .green
    case .cut: .red
    case .dead: .secondary
    }
  }
}
