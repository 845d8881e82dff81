import Foundation

/// Where the demonstration tells its story: in a picture on a terminal, line by line in a pipe, not at all when only
/// the verdict is asked for.
actor Stage {
  enum Manner: Sendable {
    case picture(Screen)
    case lines
    case silent
  }

  private let manner: Manner
  /// Waits for a person, or until a caption has been read.
  private let pacing: @Sendable () async throws -> Void

  /// - Parameter pacing: Waits after each caption of a picture.
  init(manner: Manner, pacing: @escaping @Sendable () async throws -> Void = {}) {
    self.manner = manner
    self.pacing = pacing
  }

  /// Begins an act.
  func begin(_ title: String) async {
    if case .lines = manner { await say("") }
    await say(title)
  }

  /// One line of the story.
  func say(_ line: String) async {
    switch manner {
    case .lines: FileHandle.standardOutput.write(Data((line + "\n").utf8))
    case .picture(let screen): await screen.update { $0.say(String(line.drop(while: { $0 == " " }))) }
    case .silent: break
    }
  }

  /// Says in the picture what comes, and waits until it has been read.
  func pause(_ title: String, _ text: String) async throws {
    guard case .picture(let screen) = manner else { return }
    await screen.update { $0.setCaption(Caption(title: title, text: text)) }
    try await pacing()
  }

  func setState(_ state: PeerState, of peer: String, processIdentifier: Int32? = nil) async {
    guard case .picture(let screen) = manner else { return }
    await screen.update { $0.setState(state, of: peer, processIdentifier: processIdentifier) }
  }

  /// Tells what a process reported.
  func tell(_ report: PeerReport, by name: String) async {
    switch report {
    case .ready(_, let recovered) where recovered > 0:
      await say("  \(name) is back from its disk with \(recovered) operations.")
    case .sees(let sight):
      guard case .picture(let screen) = manner else { return }
      await screen.update { $0.received(sight, from: name, at: screen.age) }
    case .woke(let ran, let rested, let title, let copies):
      // The picture shows them by their light.
      guard case .lines = manner else { return }
      let sees = ran.contains("title") ? "“\(title)”" : "\(copies) copies"
      await say(
        "    \(name): readers of \(ran.joined(separator: ", ")) ran (\(sees)); "
          + "\(rested.joined(separator: ", ")) rested.")
    case .conflict(let values):
      await say(
        "    \(name) sees a conflict: \(values.dropFirst().map { "“\($0)”" }.joined(separator: ", ")) "
          + "beside “\(values.first ?? "")”, which is shown.")
    case .reads(let notice, let readingList):
      await say("  Everybody reads “\(notice)” and \(readingList.joined(separator: ", ")).")
    case .failed(let message):
      await say("    \(name) failed: \(message)")
      await setState(.killed, of: name)
    case .ready, .standing, .done: break
    }
  }
}
