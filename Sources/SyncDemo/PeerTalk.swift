import Foundation

/// What the conductor tells a peer process, one JSON object a line on its standard input.
enum PeerCommand: Codable, Sendable {
  /// Make this many edits over the thousand keys, as fast as they are acknowledged in groups.
  case edit(count: Int)
  /// One write of the story: put `title` on the front desk's book.
  case rename(title: String)
  /// One increment of the story.
  case addCopies(Int)
  /// Settle the conflict over the front desk's title by choosing the visible one.
  case resolve
  /// Put the front desk's book elsewhere, or give it out and take it back.
  case shelve(Int)
  case borrow
  /// Put up the notice and the reading list.
  case post(notice: String, readingList: [String])
  /// Write `text` into the notice, in front of `mark`.
  case insert(text: String, before: String)
  /// Put a book of the reading list first, or a new one last.
  case readFirst(String)
  case readLast(String)
  /// Say what the notice and the reading list are.
  case recite
  case goOffline
  case goOnline
  /// Say what you see from now on, several times a second, where it changes.
  case watch
  /// Say how you stand.
  case report
  /// Report, close in good order and exit.
  case finish
}

/// What a peer process tells the conductor, one JSON object a line on its standard output.
enum PeerReport: Codable, Sendable {
  /// The library is open. `recovered` says how much came back from disk.
  case ready(replica: String, recovered: Int)
  /// How the peer stands; several a second while it edits, and in answer to `report`.
  case standing(Standing)
  /// Observers of the front desk's book ran; those of its other properties rested.
  case woke(ran: [String], rested: [String], title: String, copies: Int)
  /// The front desk's title has several values at once; the first is the visible one.
  case conflict(values: [String])
  /// What the peer sees, while it is watched.
  case sees(Sight)
  /// What stands on the noticeboard.
  case reads(notice: String, readingList: [String])
  /// The last command is carried out.
  case done
  /// It cannot go on.
  case failed(String)
}

/// How one peer stands.
struct Standing: PeerCounts, Codable, Sendable {
  /// Edits made by this process, and those of them that are acknowledged as durable.
  var edits = 0
  var acknowledgedEdits = 0
  /// This process's replica id and how many of its operations are acknowledged.
  var replica = ""
  var acknowledgedCounter: UInt64 = 0
  /// Receipts left in the library with the edits that are acknowledged.
  var acknowledgedReceipts: [String] = []
  /// What is merged: for each replica id, how many of its operations.
  var version: [String: UInt64] = [:]
  /// Receipts found in the library.
  var receipts: [String] = []
  var digest = ""
  /// How often observers ran, and how often they should have, computed from the values alone.
  var wakesSeen = 0
  var wakesExpected = 0
  var conflictsSeen = 0
  var framesPublished = 0
  var framesReceived = 0
  var pulls = 0
}

/// Lines of JSON over a pipe.
enum PeerLine {
  static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(value) + Data("\n".utf8)
  }

  static func decode<Value: Decodable>(_ type: Value.Type, from line: some DataProtocol) throws -> Value {
    try JSONDecoder().decode(type, from: Data(line))
  }
}
