#if NATS
  import Foundation
  import StarlingCore
  import StarlingGuard
  import StarlingReplica

  /// `starlingd` as it was built beside the tests, with its log in a stream.
  final class DaemonProgram: Sendable {
    private let process: Process
    private let said = Guarded("")
    private let lines: AsyncStream<String>

    /// - Parameters:
    ///   - site: names the directory of sockets; two that are of one site cannot run at the same time.
    ///   - more: arguments beside those.
    init(_ server: Server, site: String, _ more: [String] = []) throws {
      process = Process()
      process.executableURL = try Self.url("starlingd")
      process.arguments =
        [
          "--group", "library", "--sockets", "\(server.directory)/\(site)", "--cluster", server.url, "--log",
          "jetstream",
        ] + (more.contains("sqlite") ? [] : ["--log-replicas", "1"]) + more
      process.standardInput = FileHandle.nullDevice
      let output = Pipe()
      process.standardOutput = output
      process.standardError = output
      let (lines, saying) = AsyncStream.makeStream(of: String.self)
      self.lines = lines
      try process.run()
      Thread.detachNewThread { [weak self] in
        var rest = ""
        while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
          rest += String(decoding: data, as: UTF8.self)
          let parts = rest.split(separator: "\n", omittingEmptySubsequences: false)
          rest = parts.last.map(String.init) ?? ""
          for line in parts.dropLast() {
            self?.said.withLock { $0 += line + "\n" }
            saying.yield(String(line))
          }
        }
        saying.finish()
      }
    }

    deinit {
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    var pid: Int32 { process.processIdentifier }
    /// All that it has said.
    var text: String { said.withLock { $0 } }

    /// Returns once it says a line with these words. The suite's limit bounds it.
    func until(_ words: String) async throws {
      for await line in lines where line.contains(words) { return }
      throw Party.NeverCame(description: "never said '\(words)'; it said: \(text)")
    }

    func signal(_ number: Int32) {
      kill(process.processIdentifier, number)
    }

    /// Returns its status once it has ended.
    func end() async -> Int32 {
      for await _ in lines {}
      process.waitUntilExit()
      return process.terminationStatus
    }

    static func url(_ name: String) throws -> URL {
      var place = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      for _ in 0..<4 {
        let candidate = place.appendingPathComponent(name)
        if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        place.deleteLastPathComponent()
      }
      throw Server.Missing(description: "\(name) is not beside the tests: swift build --product \(name)")
    }
  }

  /// A program at a daemon's site, which writes and waits until the daemon has logged it.
  struct SiteProgram {
    let replica: BareReplica

    init(_ server: Server, site: String) async throws {
      var options = BareReplica.Options()
      options.socketDirectory = "\(server.directory)/\(site)"
      options.leasesReplicaID = false
      replica = try await BareReplica.open("library", options: options)
    }

    /// Returns once the daemon has it in its log.
    func set(_ number: Int64, for key: String) async throws {
      let key = Key(stringLiteral: key)
      replica.document.write { document, patch in document.set(.integer(number), for: key, in: .root, patch: &patch) }
      try await replica.engine.flush(replica.document.id, until: .replicated(1))
    }

    /// Returns once it has merged what stands under `key`.
    func number(for key: String) async -> Int64? {
      let (patches, patched) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      replica.document.onPatch { _ in patched.yield() }
      if let number = read(key) { return number }
      for await _ in patches {
        if let number = read(key) { return number }
      }
      return nil
    }

    private func read(_ key: String) -> Int64? {
      let visible = replica.document.read { $0.visible(Key(stringLiteral: key), in: .root) }
      guard case .value(.integer(let number), _) = visible else { return nil }
      return number
    }

    func close() async throws { try await replica.close() }
  }
#endif
