#if NATS
  import Foundation
  import StarlingReplica
  import Testing

  /// `starlingd`, as it was built beside the tests, in a cluster.
  private final class Daemon {
    private let process = Process()
    private let lines: AsyncStream<String>

    init(_ name: String, in server: Server, keys: KeyDirectory) throws {
      process.executableURL = try Self.program()
      process.arguments = [
        "--group", "sites", "--directory", "\(server.directory)/\(name)-data", "--sockets",
        "\(server.directory)/\(name)", "--keys", keys.path, "--cluster", server.url,
      ]
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      let log = Pipe()
      process.standardError = log
      let (lines, saying) = AsyncStream.makeStream(of: String.self)
      self.lines = lines
      try process.run()
      Thread.detachNewThread {
        var rest = ""
        while case let data = log.fileHandleForReading.availableData, !data.isEmpty {
          rest += String(decoding: data, as: UTF8.self)
          let parts = rest.split(separator: "\n", omittingEmptySubsequences: false)
          rest = parts.last.map(String.init) ?? ""
          for line in parts.dropLast() { saying.yield(String(line)) }
        }
        saying.finish()
      }
    }

    deinit {
      if process.isRunning { process.terminate() }
    }

    /// Returns once it logs a line with all of these words. The suite's limit bounds it.
    func until(_ words: String...) async throws {
      var last = "nothing"
      for await line in lines {
        if words.allSatisfy({ line.contains($0) }) { return }
        last = line
      }
      throw Party.NeverCame(description: "never logged: \(words); it logged last: \(last)")
    }

    private static func program() throws -> URL {
      var place = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      for _ in 0..<4 {
        let candidate = place.appendingPathComponent("starlingd")
        if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        place.deleteLastPathComponent()
      }
      throw Server.Missing(description: "starlingd is not beside the tests: swift build --product starlingd")
    }
  }

  @Suite(.timeLimit(.minutes(5))) struct `Daemons with keys in a cluster` {
    @Test func `let each other in by name, and refuse keys that expired or are revoked`() async throws {
      let server = try await Server()
      let names = ["north", "south", "late"]
      let keys = names.map { KeyDirectory("\(server.directory)/\($0)-keys") }
      let (north, south, late) = (try keys[0].makeKeys(), try keys[1].makeKeys(), try keys[2].makeKeys())
      try keys[0].authorize(AllowedKey(name: "south", key: south, role: .relays))
      try keys[0].authorize(
        AllowedKey(name: "late", key: late, role: .relays, expires: Date(timeIntervalSinceNow: -60)))
      for other in keys.dropFirst() { try other.authorize(AllowedKey(name: "north", key: north, role: .relays)) }
      let first = try Daemon("north", in: server, keys: keys[0])
      let second = try Daemon("south", in: server, keys: keys[1])
      try await first.until("south (key \(south)) at nats:sites/", "it was let in, and relays.")
      try await second.until("north (key \(north)) at nats:sites/", "it was let in, and relays.")
      let third = try Daemon("late", in: server, keys: keys[2])
      try await first.until("late (key \(late)) at nats:sites/", "Its time has passed.")
      try await third.until("does not let this replica in")
      try keys[0].revoke("south")
      try await first.until("key \(south)", "its key is let in no more, and it was cut off.")
      try await second.until("does not let this replica in")
    }
  }
#endif
