#if NATS
  import Foundation
  import Synchronization

  /// A nats-server of its own for one test, on a port of its own, with its files in a directory of its own.
  final class Server {
    struct Missing: Error, CustomStringConvertible {
      let description: String
    }

    let directory: String
    private let settings: String
    private var process = Process()
    private(set) var port = 0

    /// - Parameter settings: lines of the server's configuration.
    init(_ settings: String = "") async throws {
      directory = "/tmp/starling-test-\(UInt32.random(in: .min ... .max))"
      self.settings = settings
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      try await start()
    }

    deinit {
      kill()
      try? FileManager.default.removeItem(atPath: directory)
    }

    var url: String { "nats://127.0.0.1:\(port)" }

    /// Returns once it listens; at the port where it listened before, if it did.
    func start() async throws {
      let configuration = "\(directory)/nats.conf"
      try "listen: 127.0.0.1:\(port == 0 ? -1 : port)\n\(settings)\n"
        .write(toFile: configuration, atomically: true, encoding: .utf8)
      process = Process()
      process.executableURL = try Self.program()
      process.arguments = ["-c", configuration]
      process.currentDirectoryURL = URL(fileURLWithPath: directory)
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      let log = Pipe()
      process.standardError = log
      try process.run()
      port = try await Self.portWhenReady(in: log.fileHandleForReading)
    }

    /// Ends at once, as a machine does that loses its power.
    func kill() {
      guard process.isRunning else { return }
      Foundation.kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
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

    /// Reads what the server says until it says that it is ready, and goes on reading so that it can go on talking.
    private static func portWhenReady(in log: FileHandle) async throws -> Int {
      let (pieces, saying) = AsyncStream.makeStream(of: String.self)
      Thread.detachNewThread {
        // Ends with the server.
        while case let data = log.availableData, !data.isEmpty { saying.yield(String(decoding: data, as: UTF8.self)) }
        saying.finish()
      }
      var said = ""
      for await piece in pieces {
        said += piece
        guard said.contains("Server is ready"),
          let port = said.firstMatch(of: /client connections on 127\.0\.0\.1:(\d+)/).flatMap({ Int($0.1) })
        else { continue }
        return port
      }
      throw Missing(description: "nats-server never became ready: \(said)")
    }
  }
#endif
