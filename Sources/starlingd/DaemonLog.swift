import Foundation
import Logging
import StarlingReplica
import Synchronization

/// The daemon's log on standard error, as text or as a JSON object a line, at a level that may change while it runs.
struct DaemonLog: LogHandler {
  enum Format: String {
    case text, json
  }

  /// What all loggers of the daemon share.
  final class Shared: Sendable {
    let format: Format
    /// The place of the level among all of them.
    private let place: Atomic<Int>

    init(_ format: Format, at level: Logger.Level) {
      self.format = format
      place = Atomic(Self.place(of: level))
    }

    var level: Logger.Level {
      get { Logger.Level.allCases[place.load(ordering: .relaxed)] }
      set { place.store(Self.place(of: newValue), ordering: .relaxed) }
    }

    private static func place(of level: Logger.Level) -> Int { Logger.Level.allCases.firstIndex(of: level)! }
  }

  var metadataProvider: Logger.MetadataProvider?
  var metadata = Logger.Metadata()
  private let shared: Shared
  private let label: String
  private let text: StreamLogHandler
  /// Of this logger alone.
  private var ownLevel: Logger.Level?

  init(_ label: String, _ shared: Shared) {
    self.label = label
    self.shared = shared
    text = StreamLogHandler.standardError(label: label)
  }

  var logLevel: Logger.Level {
    get { ownLevel ?? shared.level }
    set { ownLevel = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    guard shared.format == .json else {
      var text = text
      text.metadata = metadata
      text.metadataProvider = metadataProvider
      return text.log(event: event)
    }
    let all = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }.merging(event.metadata ?? [:]) { $1 }
    Output.write(
      Self.line(event.level, "\(event.message)", of: label, from: event.source, with: all), to: .standardError)
  }

  /// One line of JSON.
  static func line(
    _ level: Logger.Level, _ message: String, of label: String, from source: String,
    with metadata: Logger.Metadata = [:]
  ) -> String {
    let time = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    var members: [JSONValue.Member] = [
      JSONValue.Member("time", .string(time)), JSONValue.Member("level", .string(level.rawValue)),
      JSONValue.Member("message", .string(message)), JSONValue.Member("label", .string(label)),
      JSONValue.Member("source", .string(source)),
    ]
    if !metadata.isEmpty {
      members.append(
        JSONValue.Member(
          "metadata",
          .object(metadata.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .string("\($0.value)")) })))
    }
    return JSONValue.object(members).description
  }
}

/// What the daemon says outside its log. Nobody may listen any more: then it is lost, and the daemon continues.
enum Output {
  static func write(_ line: String, to file: FileHandle = .standardOutput) {
    try? file.write(contentsOf: Data((line + "\n").utf8))
  }
}
