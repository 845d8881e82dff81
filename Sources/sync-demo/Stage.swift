import Foundation

/// Where the demonstration tells its story: side by side on a terminal, line by line in a pipe,
/// not at all when only the verdict is asked for.
actor Stage {
  enum Manner: Sendable {
    case screen
    case lines
    case silent
  }

  private let manner: Manner
  private let colours: Bool
  private let peers: [String]
  private var states: [String: String] = [:]
  private var standings: [String: Standing] = [:]
  private var story: [String] = []
  private var act = ""
  private var lastDrawn = ContinuousClock.now - .seconds(1)

  init(manner: Manner, colours: Bool, peers: [String]) {
    self.manner = manner
    self.colours = colours
    self.peers = peers
    if manner == .screen { Terminal.enter() }
  }

  /// Begins an act.
  func begin(_ title: String) {
    act = title
    say("")
    say(bold(title))
  }

  /// One line of the story.
  func say(_ line: String) {
    story.append(line)
    switch manner {
    case .lines: FileHandle.standardOutput.write(Data((line + "\n").utf8))
    case .screen: draw(now: true)
    case .silent: break
    }
  }

  func setState(_ state: String, of peer: String) {
    states[peer] = state
    draw(now: true)
  }

  func update(_ standing: Standing, of peer: String) {
    standings[peer] = standing
    draw(now: false)
  }

  /// Gives the terminal back, with the story and the last standing left on it.
  func end() {
    guard manner == .screen else { return }
    Terminal.leave()
    for line in story { print(line) }
    print()
    for line in table(width: Terminal.size().columns) { print(line) }
  }

  // MARK: Drawing

  private func draw(now: Bool) {
    guard manner == .screen else { return }
    let moment = ContinuousClock.now
    guard now || moment - lastDrawn > .milliseconds(80) else { return }
    lastDrawn = moment
    let size = Terminal.size()
    var lines = [bold(" Starling: \(peers.count) processes edit one library"), ""]
    lines += table(width: size.columns)
    lines.append("")
    let room = max(3, size.rows - lines.count - 1)
    lines += story.suffix(room)
    Terminal.draw(lines.map { Terminal.cut($0, to: size.columns) })
  }

  /// A column for each peer.
  private func table(width: Int) -> [String] {
    let label = 16
    let column = max(12, min(22, (width - label) / max(1, peers.count)))
    func row(_ name: String, _ value: (String, Standing) -> String) -> String {
      " " + Terminal.pad(name, to: label - 1)
        + peers.map { Terminal.pad(value($0, standings[$0] ?? Standing()), to: column) }.joined()
    }
    return [
      " " + Terminal.pad("", to: label - 1) + peers.map { bold(Terminal.pad($0, to: column)) }.joined(),
      row("") { name, _ in self.coloured(self.states[name] ?? "") },
      row("edits") { "\($1.edits)" },
      row("acknowledged") { "\($1.acknowledgedEdits)" },
      row("merged") { "\($1.version.values.reduce(0, +))" },
      row("observers ran") { "\($1.wakesSeen) of \($1.wakesExpected)" },
      row("conflicts") { "\($1.conflictsSeen)" },
      row("digest") { String($1.digest.prefix(8)) },
    ]
  }

  private func bold(_ text: String) -> String {
    colours ? "\u{1B}[1m\(text)\u{1B}[0m" : text
  }

  private func coloured(_ state: String) -> String {
    guard colours else { return state }
    let colour =
      switch state {
      case "online", "done": 32
      case "cut off": 33
      case "killed": 31
      default: 36
      }
    return "\u{1B}[\(colour)m\(state)\u{1B}[0m"
  }
}
