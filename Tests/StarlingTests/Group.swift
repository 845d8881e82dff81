import Foundation
import Logging
import Starling

/// A group of its own for one test: its sockets, and a directory for its files.
struct Group: ~Copyable {
  let path: String

  init() throws {
    path = "/tmp/starling-test-\(UInt32.random(in: .min ... .max))"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Opens a member; with a name it is durable, in a directory of that name.
  func open(_ name: String? = nil, _ configure: (inout Replica.Options) -> Void = { _ in }) async throws -> Replica {
    var options = Replica.Options()
    options.socketDirectory = path
    options.logger.logLevel = .critical
    configure(&options)
    return try await Replica.open("test", in: name.map { "\(path)/\($0)" }, options: options)
  }
}

@Replicated final class Book: Sendable {
  var title = "A sample book"
  var isAvailable = true
  var copies: ReplicatedCounter = 0
  var tags: Set<String> = []
}

@Replicated final class Flags: Sendable {
  var enabled: ReplicatedDictionary<String, Bool> = [:]
}
