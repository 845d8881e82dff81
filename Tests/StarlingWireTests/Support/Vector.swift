import Foundation
import StarlingCore
import StarlingWire

/// One file of Protocol/vectors: bytes, and what a reader makes of them.
struct Vector {
  /// What the bytes are given to.
  enum Subject {
    case message([UInt8])
    case batch([UInt8])
    case snapshot([UInt8])
    case published([UInt8])
    case presence([UInt8])
    /// The payloads of a live stream, from its tables where those are given.
    case stream(tables: [UInt8]?, payloads: [[UInt8]])
  }

  var name: String
  var subject: Subject
  var about: String
  /// Whether a writer writes these bytes; others are only read.
  var isCanonical: Bool
  /// The first payload whose content the file spells out.
  var contentStart = 0

  /// Decodes the bytes; the stream that a refused payload belongs to is refused there.
  func content() throws(WireError) -> JSON {
    switch subject {
    case .message(let bytes): return .message(try Message(decoding: bytes))
    case .batch(let bytes): return .changes(try Batch.decode(bytes))
    case .snapshot(let bytes): return .snapshot(try SnapshotCoding.decode(bytes))
    case .published(let bytes): return .published(try PublishedFrame(decoding: bytes))
    case .presence(let bytes): return .presence(try PresencePayload(decoding: bytes[...]))
    case .stream(let tables, let payloads):
      var decoder = LiveDecoder()
      if let tables { decoder = try LiveDecoder(tables: tables) }
      var content: [JSON] = []
      for payload in payloads { content.append(.changes(try decoder.decode(payload))) }
      return .array(Array(content.dropFirst(contentStart)))
    }
  }

  /// The same bytes, decoded and written again.
  func rewritten() throws(WireError) -> Subject {
    switch subject {
    case .message(let bytes): return .message(try Message(decoding: bytes).encoded())
    case .batch(let bytes): return .batch(Batch.encode(try Batch.decode(bytes)))
    case .snapshot(let bytes): return .snapshot(SnapshotCoding.encode(try SnapshotCoding.decode(bytes)))
    case .published(let bytes): return .published(try PublishedFrame(decoding: bytes).encoded())
    case .presence(let bytes): return .presence(try PresencePayload(decoding: bytes[...]).encoded())
    case .stream(let tables, let payloads):
      guard tables == nil else { return subject }
      var decoder = LiveDecoder()
      var encoder = LiveEncoder()
      var written: [[UInt8]] = []
      for payload in payloads {
        var bytes: [UInt8] = []
        for change in try decoder.decode(payload) { encoder.encode(change, into: &bytes) }
        written.append(bytes)
      }
      return .stream(tables: nil, payloads: written)
    }
  }
}

extension Vector.Subject: Equatable {}

extension Vector {
  /// Protocol/vectors of this package.
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Protocol/vectors")

  /// The files of "accept" or "reject", by name.
  static func files(in part: String) throws -> [(name: String, file: JSON)] {
    let urls = try FileManager.default.contentsOfDirectory(
      at: folder.appending(path: part), includingPropertiesForKeys: nil)
    return try urls.filter { $0.pathExtension == "json" }
      .map {
        ($0.deletingPathExtension().lastPathComponent, try JSONDecoder().decode(JSON.self, from: Data(contentsOf: $0)))
      }
      .sorted { $0.0 < $1.0 }
  }

  init?(name: String, file: JSON) {
    self.name = name
    about = file["about"]?.text ?? ""
    isCanonical = file["canonical"] != .bool(false)
    contentStart = file["contentStart"]?.number ?? 0
    guard let kind = file["kind"]?.text else { return nil }
    if kind == "stream" {
      let payloads = file["payloads"]?.array?.compactMap { $0.text.flatMap { [UInt8](hex: $0) } }
      guard let payloads, payloads.count == file["payloads"]?.array?.count else { return nil }
      subject = .stream(tables: file["tables"]?.text.flatMap { [UInt8](hex: $0) }, payloads: payloads)
      return
    }
    guard let bytes = file["bytes"]?.text.flatMap({ [UInt8](hex: $0) }) else { return nil }
    switch kind {
    case "message": subject = .message(bytes)
    case "batch": subject = .batch(bytes)
    case "snapshot": subject = .snapshot(bytes)
    case "published": subject = .published(bytes)
    case "presence": subject = .presence(bytes)
    default: return nil
    }
  }

  /// The file's content, without what the bytes decode to.
  func file() -> [String: JSON] {
    var members: [String: JSON] = ["about": .text(about)]
    if !isCanonical { members["canonical"] = .bool(false) }
    if contentStart > 0 { members["contentStart"] = .number(contentStart) }
    switch subject {
    case .message(let bytes): members.merge(["kind": "message", "bytes": .bytes(bytes)]) { $1 }
    case .batch(let bytes): members.merge(["kind": "batch", "bytes": .bytes(bytes)]) { $1 }
    case .snapshot(let bytes): members.merge(["kind": "snapshot", "bytes": .bytes(bytes)]) { $1 }
    case .published(let bytes): members.merge(["kind": "published", "bytes": .bytes(bytes)]) { $1 }
    case .presence(let bytes): members.merge(["kind": "presence", "bytes": .bytes(bytes)]) { $1 }
    case .stream(let tables, let payloads):
      members["kind"] = "stream"
      members["payloads"] = .array(payloads.map { .bytes($0) })
      if let tables { members["tables"] = .bytes(tables) }
    }
    return members
  }
}
