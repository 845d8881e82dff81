import Foundation

/// A temporary place for one run: the files of each peer, and the directory in which they find each other.
struct Place: Sendable {
  let group: String
  private let root: URL

  init() throws {
    group = "demo-\(ProcessInfo.processInfo.processIdentifier)"
    // Short: the path of a socket has space for about a hundred bytes.
    root = URL(fileURLWithPath: "/tmp/starling-\(group)")
    try FileManager.default.createDirectory(
      at: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// The program that runs now, which is every peer's too.
  static var thisProgram: URL {
    Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
  }

  func peerArguments(name: String, seed: UInt64) -> [String] {
    [
      "peer", "--name", name, "--group", group, "--sockets", root.path, "--seed", "\(seed)",
      "--directory", root.appendingPathComponent(name).path,
    ]
  }

  /// Starts the daemon that stands beside this program and waits until it accepts peers.
  func startDaemon(stage: Stage) async throws -> Process {
    let program = Self.thisProgram.deletingLastPathComponent().appendingPathComponent("starlingd")
    guard FileManager.default.isExecutableFile(atPath: program.path) else {
      throw DemoError("There is no starlingd beside this program. Build it with 'swift build --product starlingd'.")
    }
    let daemon = Process()
    daemon.executableURL = program
    daemon.arguments = [
      "--group", group, "--sockets", root.path, "--directory", root.appendingPathComponent("daemon").path,
      "--log-level", "error",
    ]
    let output = Pipe()
    daemon.standardOutput = output
    try daemon.run()
    // Its first line says that it listens.
    _ = output.fileHandleForReading.availableData
    await stage.say("A daemon (process \(daemon.processIdentifier)) keeps the library and relays.")
    return daemon
  }

  func remove() {
    try? FileManager.default.removeItem(at: root)
  }
}
