/// What one peer sees of the library, for the picture: told several times a second while somebody watches.
struct Sight: PeerCounts, Codable, Equatable, Sendable {
  /// The front desk's book.
  var shelf = 0
  var isAvailable = true
  var copies = 0
  /// All titles that it has at once: more than one are a conflict, and the first is shown.
  var titles: [String] = []
  var notice = ""
  var readingList: [String] = []
  /// How often the readers of each property of the front desk's book ran.
  var runs: [String: Int] = [:]

  var edits = 0
  var acknowledgedEdits = 0
  /// Operations merged, of all writers.
  var merged: UInt64 = 0
  var digest = ""
  /// How often the readers of all books ran, and how often what they read changed.
  var wakesSeen = 0
  var wakesExpected = 0
  var conflictsSeen = 0

  /// Names of the processes that it is connected to; a daemon is `Self.daemon`.
  var links: [String] = []
  /// Names of those whose presence it receives: a process that was killed or cut off is missed after seconds.
  var presence: [String] = []

  static let daemon = "the daemon"

  var title: String { titles.first ?? "" }
}
