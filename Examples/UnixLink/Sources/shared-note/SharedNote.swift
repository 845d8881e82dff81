import Foundation
import Starling
import StarlingEngine
import UnixLink

@Replicated final class Note: Sendable {
  var text = ""
}

/// `shared-note PATH` listens at a path and prints the note; `shared-note PATH words` dials it and writes the note.
@main
struct SharedNote {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard let path = arguments.first else { return print("shared-note /PATH/OF/A/SOCKET [the words of the note]") }
    let words = arguments.dropFirst().joined(separator: " ")

    var configuration = EngineConfiguration()
    if !words.isEmpty { configuration.discover = { [path] } }
    let replica = try await Replica.open(
      "note", over: UnixLink(), at: words.isEmpty ? [path] : [], configuration: configuration)
    let note = try replica.model(Note.self, named: "note")
    if words.isEmpty {
      for await text in ObservedValues({ note.text }) where !text.isEmpty { print(text) }
    } else {
      note.text = words
      try await replica.flush(until: .received(1))
    }
    try await replica.close()
  }
}
