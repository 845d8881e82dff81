#if NATS
  import Foundation
  import StarlingGuard

  /// A nats-server of its own for one test, on a port of its own, with its files in a directory of its own.
  final class Server: Sendable {
    struct Missing: Error, CustomStringConvertible {
      let description: String
    }

    private struct State {
      var process = Process()
      var isUp = false
      /// What it has said, over all its lives.
      var said = ""
    }

    let directory: String
    let port: Int
    private let settings: String
    private let state = Guarded(State())

    /// - Parameter settings: lines of the server's configuration.
    init(_ settings: String = "") async throws {
      directory = "/tmp/starling-test-\(UInt32.random(in: .min ... .max))"
      self.settings = settings
      port = try FreePort.draw()
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      try await start()
    }

    deinit {
      kill()
      try? FileManager.default.removeItem(atPath: directory)
    }

    var url: String { "nats://127.0.0.1:\(port)" }
    var said: String { state.withLock { $0.said } }

    /// Returns once it listens; at the port where it listened before, if it did.
    func start() async throws {
      let configuration = "\(directory)/nats.conf"
      try "listen: 127.0.0.1:\(port)\n\(settings)\n".write(toFile: configuration, atomically: true, encoding: .utf8)
      let process = Process()
      process.executableURL = try Self.program()
      process.arguments = ["-c", configuration]
      process.currentDirectoryURL = URL(fileURLWithPath: directory)
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      let log = Pipe()
      process.standardError = log
      let (pieces, saying) = AsyncStream.makeStream(of: String.self)
      try process.run()
      let pid = process.processIdentifier
      state.withLock {
        $0.process = process
        $0.isUp = true
      }
      Thread.detachNewThread {
        Self.waitForEnd(of: pid)
        saying.finish()
      }
      listen(to: log.fileHandleForReading, saying)
      var said = ""
      for await piece in pieces {
        said += piece
        if said.contains("Server is ready") { return }
      }
      throw Missing(description: "nats-server never became ready: \(said)")
    }

    /// Ends at once, as a machine does that loses its power.
    func kill() {
      let pid = state.withLock { state -> Int32? in
        defer { state.isUp = false }
        return state.isUp ? state.process.processIdentifier : nil
      }
      guard let pid else { return }
      Foundation.kill(pid, SIGKILL)
      Self.waitForEnd(of: pid)
    }

    /// Asks the system. Foundation knows of an end by a socket that is closed with it, and other servers that were
    /// started in the same moment may have that open too. The process is left for Foundation to collect.
    private static func waitForEnd(of pid: Int32) {
      var information = siginfo_t()
      while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    }

    /// Does nothing from now on, and closes no connection.
    func standStill() {
      Foundation.kill(state.withLock { $0.process }.processIdentifier, SIGSTOP)
    }

    /// Goes on after `standStill`, or begins again after `kill`.
    func comeBack() async throws {
      let (pid, isUp) = state.withLock { ($0.process.processIdentifier, $0.isUp) }
      if isUp { Foundation.kill(pid, SIGCONT) } else { try await start() }
    }

    /// Where Debian puts it, which is not on every PATH.
    private static func program() throws -> URL {
      let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
      for folder in path.split(separator: ":") + ["/usr/sbin", "/usr/local/bin"] {
        let candidate = "\(folder)/nats-server"
        if FileManager.default.isExecutableFile(atPath: candidate) { return URL(fileURLWithPath: candidate) }
      }
      throw Missing(
        description: "There is no nats-server on this machine: Scripts/prerequisites --with-nats installs it.")
    }

    /// Reads what the server says as long as it lives, so that it can go on talking.
    private func listen(to log: FileHandle, _ saying: AsyncStream<String>.Continuation) {
      Thread.detachNewThread { [weak self] in
        while case let data = log.availableData, !data.isEmpty {
          let piece = String(decoding: data, as: UTF8.self)
          self?.state.withLock { $0.said += piece }
          saying.yield(piece)
        }
        saying.finish()
      }
    }
  }
#endif
