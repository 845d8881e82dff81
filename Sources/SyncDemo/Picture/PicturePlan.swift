/// How much of the picture a terminal has space for.
struct PicturePlan: Equatable {
  /// The places of the panes that are shown.
  let shown: [Int]
  /// Columns of a pane, its border included, and of the gap between two.
  let paneColumns: Int
  let gapColumns: Int
  /// Rows of links below the panes, of the caption's text, and of the story.
  let linkRows: Int
  let captionRows: Int
  let storyRows: Int
  /// Whether the panes have all their rows.
  let isWhole: Bool
  /// Whether there is no space for panes: then each process has a line.
  let isTiny: Bool

  static let paneColumnsMin = 22
  private static let paneColumnsMax = 44
  /// The border, and what stands in it.
  private static let paneRows = (whole: 13, short: 9)

  private static let smallest = (columns: 34, rows: 14)

  /// Panes first, then the caption, the links and the story.
  init(_ picture: Picture, columns: Int, rows: Int) {
    let count = picture.panes.count
    isTiny = columns < Self.smallest.columns || rows < Self.smallest.rows
    gapColumns = columns >= 100 ? 5 : 3
    let fitting = max(1, min(count, (columns + gapColumns) / (Self.paneColumnsMin + gapColumns)))
    // The selected one is among those that are shown.
    let first = max(0, min(picture.selected - fitting / 2, count - fitting))
    shown = Array(first..<first + fitting)
    paneColumns = min(Self.paneColumnsMax, max(12, (columns - gapColumns * (fitting - 1)) / fitting))
    // A row each for the title, the figures, the caption's title, the conflict and the keys.
    var left = rows - 5
    isWhole = left >= Self.paneRows.whole + 2
    left -= isWhole ? Self.paneRows.whole : Self.paneRows.short
    captionRows = max(0, min(2, left))
    left -= captionRows
    let wanted = picture.hasDaemon ? 2 : (fitting - 1) * (fitting - 2) / 2
    linkRows = max(0, min(wanted, max(1, left / 2), left))
    left -= linkRows
    storyRows = max(0, left)
  }

  /// The columns in whose middle the panes stand.
  var middles: [Int] { shown.indices.map { $0 * (paneColumns + gapColumns) + paneColumns / 2 } }
}
