import Foundation

@testable import SyncDemo

/// The terminal's own module has a picture too.
typealias DemoPicture = Picture

/// What three processes said while one was cut off and another was killed, line by line as they said it
/// (`recorded.jsonl`). Seconds count from the first line.
struct Recording {
  private struct Line: Decodable {
    var at: Double
    var from: String?
    var sees: Sight?
    var state: String?
    var of: String?
  }

  private let lines: [Line]

  init(_ file: StaticString = #filePath) throws {
    let path = URL(fileURLWithPath: "\(file)").deletingLastPathComponent().appendingPathComponent("recorded.jsonl")
    lines = try String(decoding: Data(contentsOf: path), as: UTF8.self).split(separator: "\n").map {
      try JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
  }

  /// The picture at a moment.
  func picture(at moment: Double) -> Picture {
    var picture = Picture(names: ["Ada", "Ben", "Cleo"], hasDaemon: false)
    for (place, name) in ["Ada", "Ben", "Cleo"].enumerated() {
      picture.setState(.online, of: name, processIdentifier: Int32(4711 + place))
    }
    for line in lines where line.at <= moment {
      if let sight = line.sees, let name = line.from { picture.received(sight, from: name, at: .seconds(line.at)) }
      if let state = line.state.flatMap(PeerState.init), let name = line.of { picture.setState(state, of: name) }
      picture.advance(to: .seconds(line.at))
    }
    picture.advance(to: .seconds(moment))
    return picture
  }
}
