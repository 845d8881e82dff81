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
      /// Lines of its configuration.
      var settings: String
    }

    let directory: String
    let port: Int
    private let state: Guarded<State>

    /// - Parameters:
    ///   - settings: lines of the server's configuration.
    ///   - tls: whether it talks TLS, with a certificate that `authority.pem` in its directory signed.
    init(_ settings: String = "", tls: Bool = false) async throws {
      directory = "/tmp/starling-test-\(UInt32.random(in: .min ... .max))"
      port = try FreePort.draw()
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      var settings = settings
      if tls {
        try Self.makeCertificates(in: directory)
        settings += "\ntls: { cert_file: '\(directory)/server.pem', key_file: '\(directory)/server.key' }"
      }
      state = Guarded(State(settings: settings))
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
      let settings = state.withLock { $0.settings }
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
    ///
    /// - Parameter settings: new lines of its configuration.
    func comeBack(with settings: String? = nil) async throws {
      if let settings { state.withLock { $0.settings = settings } }
      let (pid, isUp) = state.withLock { ($0.process.processIdentifier, $0.isUp) }
      if isUp { Foundation.kill(pid, SIGCONT) } else { try await start() }
    }

    /// An authority of its own, and a certificate for 127.0.0.1 that it signed.
    private static func makeCertificates(in directory: String) throws {
      let script = """
        set -e; cd '\(directory)'
        openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout authority.key -out authority.pem
        openssl req -newkey rsa:2048 -nodes -subj /CN=server -keyout server.key -out server.csr
        printf 'subjectAltName=IP:127.0.0.1' > server.ext
        openssl x509 -req -days 2 -CA authority.pem -CAkey authority.key -CAcreateserial -extfile server.ext \
          -in server.csr -out server.pem
        """
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", script]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw Missing(description: "openssl made no certificates.") }
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
