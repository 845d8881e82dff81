/// What a person watches: one value, made from what the processes report and from the time at which they did.
struct Picture: Equatable, Sendable {
  /// One process, or none where it was killed.
  struct Pane: Equatable, Sendable {
    let name: String
    var state = PeerState.starting
    var processIdentifier: Int32 = 0
    /// What it said last; what a killed one had said stays.
    var sight = Sight()
    /// Until when a property's readers are lit.
    fileprivate(set) var litUntil: [String: Duration] = [:]

    /// Whether the readers of a property ran a moment ago.
    func isLit(_ property: String, at now: Duration) -> Bool { litUntil[property].map { $0 > now } ?? false }
  }

  /// What decides the next step: the acts, or the person at the keys.
  enum Lead: Equatable, Sendable {
    case acts
    case keys
    case ending
  }

  private(set) var panes: [Pane]
  let hasDaemon: Bool
  /// The pane that the keys mean.
  private(set) var selected = 0
  var lead = Lead.acts
  /// What happens now: a title, and what to look at.
  private(set) var caption = Caption()
  /// Whether the acts wait for a key.
  var isWaiting = false
  /// Whether the processes edit at full speed.
  var isBusy = false
  /// What happened, the last at the end.
  private(set) var story: [String] = []
  private(set) var throughput = Throughput()
  private(set) var now = Duration.zero

  static let litTime = Duration.milliseconds(900)
  private static let storyCountMax = 100

  init(names: [String], hasDaemon: Bool) {
    panes = names.map { Pane(name: $0) }
    self.hasDaemon = hasDaemon
  }

  // MARK: What happens

  /// Time passes: what was lit goes out, and the throughput is that of the last moments.
  mutating func advance(to now: Duration) {
    self.now = now
    let counted = panes.reduce(0) { $0 + $1.sight.edits }
    throughput.count(counted, at: now)
    for place in panes.indices { panes[place].litUntil = panes[place].litUntil.filter { $0.value > now } }
  }

  /// A process said what it sees.
  mutating func received(_ sight: Sight, from name: String, at now: Duration) {
    guard let place = panes.firstIndex(where: { $0.name == name }) else { return }
    let known = panes[place].sight.runs
    // A process that starts begins its counts again: its first runs were no wakes.
    for (property, count) in sight.runs where known[property].map({ count > $0 }) ?? false {
      panes[place].litUntil[property] = now + Self.litTime
    }
    panes[place].sight = sight
  }

  mutating func setState(_ state: PeerState, of name: String, processIdentifier: Int32? = nil) {
    guard let place = panes.firstIndex(where: { $0.name == name }) else { return }
    panes[place].state = state
    if let processIdentifier { panes[place].processIdentifier = processIdentifier }
    guard state == .killed else { return }
    panes[place].litUntil = [:]
    panes[place].sight.links = []
    panes[place].sight.presence = []
  }

  mutating func say(_ line: String) {
    story.append(line)
    if story.count > Self.storyCountMax { story.removeFirst() }
  }

  mutating func setCaption(_ caption: Caption) { self.caption = caption }

  mutating func select(_ place: Int) {
    selected = (place % panes.count + panes.count) % panes.count
  }

  // MARK: What is read

  var selectedPane: Pane { panes[selected] }

  /// Whether all processes that run hold the same.
  var isEqual: Bool {
    let digests = Set(panes.filter { $0.state.isRunning }.map(\.sight.digest))
    return digests.count == 1 && digests != [""]
  }

  var edits: Int { panes.reduce(0) { $0 + $1.sight.edits } }
  var acknowledgedEdits: Int { panes.reduce(0) { $0 + $1.sight.acknowledgedEdits } }
  var wakesSeen: Int { panes.reduce(0) { $0 + $1.sight.wakesSeen } }
  var wakesExpected: Int { panes.reduce(0) { $0 + $1.sight.wakesExpected } }

  /// How a link stands, as its ends say.
  enum Link: Equatable, Sendable {
    case linked
    case cut
    /// One of its ends is no process any more.
    case dead
  }

  func link(_ left: Int, _ right: Int) -> Link {
    let (left, right) = (panes[left], panes[right])
    if !left.state.isRunning || !right.state.isRunning { return .dead }
    // One of them may not have noticed yet.
    return left.sight.links.contains(right.name) && right.sight.links.contains(left.name) ? .linked : .cut
  }

  /// The link of a process to the daemon.
  func linkToDaemon(_ place: Int) -> Link {
    let pane = panes[place]
    if !pane.state.isRunning { return .dead }
    return pane.sight.links.contains(Sight.daemon) ? .linked : .cut
  }
}

/// What happens, and what to look at.
struct Caption: Equatable, Sendable {
  var title = ""
  var text = ""
}

/// How a process stands.
enum PeerState: String, Sendable {
  case starting
  case online
  case cutOff = "cut off"
  case killed
  case done

  var isRunning: Bool { self == .online || self == .cutOff || self == .done }
}

/// Edits a second, now and before.
struct Throughput: Equatable, Sendable {
  /// Of the last moments, in edits a second; the last is now.
  private(set) var rates: [Int] = []
  private var last: Count?

  private struct Count: Equatable {
    var count: Int
    var time: Duration
  }

  /// How long a moment is.
  private static let moment = Duration.seconds(1)
  private static let momentCountMax = 40

  var current: Int { rates.last ?? 0 }

  /// - Parameter count: The edits made so far; fewer than before where a process began again.
  mutating func count(_ count: Int, at now: Duration) {
    guard let last else {
      self.last = Count(count: count, time: now)
      return
    }
    guard now - last.time >= Self.moment else { return }
    rates.append(Int((Double(max(0, count - last.count)) / ((now - last.time) / .seconds(1))).rounded()))
    if rates.count > Self.momentCountMax { rates.removeFirst() }
    self.last = Count(count: count, time: now)
  }

  /// The rates as a row of bars, the highest of them full.
  func bars(_ width: Int) -> String {
    let shown = rates.suffix(width)
    let most = max(1, shown.max() ?? 1)
    let signs = Array("▁▂▃▄▅▆▇█")
    return String(shown.map { $0 == 0 ? " " : signs[min(signs.count - 1, $0 * signs.count / (most + 1))] })
  }
}
