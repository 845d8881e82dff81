/// The links between panes as rows of characters below them, each with what it is.
///
/// ```
///   │ Ada │━━━━│ Ben │━━╳━│ Cleo │        between neighbours the links stand in the gaps
///      ┗━━━━━━━━━━━╳━━━━━━━━━┛            those of others below, a row each
///      ┃          ┃          ╳            with a daemon, each process has one link, to it
///      ┗━━━━━ the daemon ━━━━┛
/// ```
struct LinkDrawing {
  /// A stretch of a row that is drawn alike.
  struct Run: Equatable {
    var text: String
    /// Nil for blanks and names.
    var link: Picture.Link?
  }

  let picture: Picture
  /// The columns in whose middle the shown panes stand.
  let middles: [Int]
  /// The places of the shown panes.
  let shown: [Int]

  /// What is drawn between neighbours.
  static func gap(_ link: Picture.Link?, width: Int) -> String {
    guard let link else { return String(repeating: " ", count: width) }
    return line(link, width: width)
  }

  /// The rows below the panes, at most so many; a last row counts the links that found no place.
  func rows(atMost limit: Int) -> [[Run]] {
    guard limit > 0 else { return [] }
    if picture.hasDaemon { return daemonRows().suffix(limit) }
    let pairs = Array(shown.indices).flatMap { left in shown.indices.dropFirst(left + 2).map { (left, $0) } }
    guard !pairs.isEmpty else { return [] }
    if pairs.count <= limit { return pairs.map { row(from: $0.0, to: $0.1) } }
    return pairs.prefix(limit - 1).map { row(from: $0.0, to: $0.1) } + [[rest(pairs.dropFirst(limit - 1))]]
  }

  private func row(from left: Int, to right: Int) -> [Run] {
    let link = picture.link(shown[left], shown[right])
    let width = middles[right] - middles[left] + 1
    return [
      Run(text: String(repeating: " ", count: middles[left]), link: nil),
      Run(text: "┗" + Self.line(link, width: width - 2) + "┛", link: link),
    ]
  }

  private func rest(_ pairs: some Collection<(Int, Int)>) -> Run {
    let links = pairs.map { picture.link(shown[$0.0], shown[$0.1]) }
    let parts = [
      (links.count { $0 == .linked }, "linked"), (links.count { $0 == .cut }, "cut"),
      (links.count { $0 == .dead }, "dead"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return Run(text: "  and \(pairs.count) more links: " + parts.joined(separator: ", "), link: nil)
  }

  private func daemonRows() -> [[Run]] {
    var above: [Run] = []
    var column = 0
    for (place, middle) in middles.enumerated() {
      let link = picture.linkToDaemon(shown[place])
      above.append(Run(text: String(repeating: " ", count: max(0, middle - column)), link: nil))
      above.append(Run(text: link == .linked ? "┃" : link == .cut ? "╳" : "╎", link: link))
      column = middle + 1
    }
    guard let first = middles.first, let last = middles.last else { return [above] }
    let name = " \(Sight.daemon) "
    let width = max(name.count + 2, last - first + 1)
    let left = (width - 2 - name.count) / 2
    let bus =
      "┗" + String(repeating: "━", count: left) + name
      + String(repeating: "━", count: max(0, width - 2 - name.count - left)) + "┛"
    return [above, [Run(text: String(repeating: " ", count: first), link: nil), Run(text: bus, link: .linked)]]
  }

  private static func line(_ link: Picture.Link, width: Int) -> String {
    guard width > 0 else { return "" }
    switch link {
    case .linked: return String(repeating: "━", count: width)
    case .dead: return String(repeating: "╌", count: width)
    case .cut:
      let left = (width - 1) / 2
      return String(repeating: "╌", count: left) + "╳" + String(repeating: "╌", count: width - 1 - left)
    }
  }
}
