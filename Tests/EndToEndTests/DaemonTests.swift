import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct `The daemon` {
  private static func arguments(in scratch: borrowing Scratch, directory: String = "data") -> [String] {
    ["--group", "test", "--directory", scratch.path + "/" + directory, "--sockets", scratch.path]
  }

  /// Starts a daemon whose output goes to `output`, and returns once it says that it serves.
  private static func start(_ arguments: [String]) throws -> Process {
    let daemon = Process()
    daemon.executableURL = try Programs.url("starlingd")
    daemon.arguments = arguments
    let output = Pipe()
    daemon.standardOutput = output
    daemon.standardError = FileHandle.nullDevice
    try daemon.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    #expect(line.contains("serves 'test'"), "It said: \(line)")
    return daemon
  }

  @Test func `stops with status 0 on SIGTERM, and can be started again`() throws {
    let scratch = try Scratch()
    for _ in 0..<2 {
      let daemon = try Self.start(Self.arguments(in: scratch))
      daemon.terminate()
      daemon.waitUntilExit()
      #expect(daemon.terminationStatus == 0)
      #expect(daemon.terminationReason == .exit)
    }
  }

  @Test func `refuses a second one on the same files and says who holds them`() async throws {
    let scratch = try Scratch()
    let daemon = try Self.start(Self.arguments(in: scratch))
    defer {
      daemon.terminate()
      daemon.waitUntilExit()
    }
    let second = try await Programs.run("starlingd", Self.arguments(in: scratch))
    #expect(second.status == 1)
    #expect(second.errors.contains("\(daemon.processIdentifier)"), "It said: \(second.errors)")
    #expect(second.errors.contains("starlingd"))
  }

  @Test func `refuses a second one for the same group by name`() async throws {
    let scratch = try Scratch()
    let daemon = try Self.start(Self.arguments(in: scratch))
    defer {
      daemon.terminate()
      daemon.waitUntilExit()
    }
    let second = try await Programs.run("starlingd", Self.arguments(in: scratch, directory: "other"))
    #expect(second.status == 1)
    #expect(second.errors.contains("daemon"), "It said: \(second.errors)")
  }

  @Test func `refuses to listen beyond loopback`() async throws {
    let scratch = try Scratch()
    let outcome = try await Programs.run(
      "starlingd", Self.arguments(in: scratch) + ["--listen", "tcp://0.0.0.0:7499"])
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("loopback"), "It said: \(outcome.errors)")
  }

  @Test func `refuses to dial beyond loopback without a key, with keys of its own and without`() async throws {
    let scratch = try Scratch()
    let keys = scratch.path + "/keys"
    #expect(try await Programs.run("starling", ["keys", "new", "--directory", keys]).status == 0)
    for more in [[], ["--keys", keys]] {
      let outcome = try await Programs.run(
        "starlingd", Self.arguments(in: scratch) + ["--connect", "tcp://192.0.2.7:7400"] + more)
      #expect(outcome.status != 0)
      #expect(outcome.errors.contains("tcp://KEY@192.0.2.7:7400"), "It said: \(outcome.errors)")
    }
  }

  @Test func `says what is missing`() async throws {
    let outcome = try await Programs.run("starlingd", [])
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("--group"))
  }

  @Test func `says that a database is corrupt, leaves it alone, and exits`() async throws {
    let scratch = try Scratch()
    let directory = scratch.path + "/data"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let garbage = Data(repeating: 0x5A, count: 8192)
    try garbage.write(to: URL(fileURLWithPath: directory + "/starling.sqlite"))
    let outcome = try await Programs.run("starlingd", Self.arguments(in: scratch))
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains(directory), "It said: \(outcome.errors)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: directory + "/starling.sqlite")) == garbage)
  }

  @Test func `exits with status 1 and says what is not saved where its store is gone`() async throws {
    let scratch = try Scratch()
    let daemon = try Running("starlingd", Self.arguments(in: scratch))
    try await Self.write("name", to: scratch)
    try FileManager.default.removeItem(atPath: scratch.path + "/data/starling.sqlite")
    // Nobody acknowledges it.
    try? await Self.write("title", to: scratch, timeout: "3")
    daemon.process.terminate()
    let outcome = await daemon.outcome()
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("operation"), "It said: \(outcome.errors)")
    #expect(outcome.errors.contains("of 'test'"), "It said: \(outcome.errors)")
    #expect(!outcome.errors.contains("saved and stopped"))
  }

  @Test func `ends by itself when its log fails, where that is asked for`() async throws {
    let scratch = try Scratch()
    let daemon = try Running("starlingd", Self.arguments(in: scratch) + ["--on-log-failure", "exit"])
    try await Self.write("name", to: scratch)
    try FileManager.default.removeItem(atPath: scratch.path + "/data/starling.sqlite")
    try? await Self.write("title", to: scratch, timeout: "3")
    let outcome = await daemon.outcome()
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("removed or replaced"), "It said: \(outcome.errors)")
  }

  @Test func `is waited for by a command that reads while it reads its log`() async throws {
    let scratch = try Scratch()
    let first = try Running("starlingd", Self.arguments(in: scratch))
    try await Self.write("name", to: scratch)
    first.process.terminate()
    #expect(await first.outcome().status == 0)

    let get = try Running("starling", ["get", "test", "name", "--sockets", scratch.path, "--timeout", "60"])
    let dump = try Running("starling", ["dump", "test", "--json", "--sockets", scratch.path, "--timeout", "60"])
    // Both are there before the daemon.
    _ = try await Programs.run("starling", ["status", "test", "--sockets", scratch.path])
    let second = try Running("starlingd", Self.arguments(in: scratch))
    let (got, dumped) = (await get.outcome(), await dump.outcome())
    second.process.terminate()
    _ = await second.outcome()
    #expect(got.status == 0 && got.output == "\"some\"\n", "\(got)")
    #expect(dumped.status == 0 && dumped.output == "{\"name\":\"some\"}\n", "\(dumped)")
  }

  @Test func `is missed by a command that reads, whose status says so`() async throws {
    let scratch = try Scratch()
    for command in ["get", "dump", "history"] {
      let outcome = try await Programs.run(
        "starling", [command, "test", "--sockets", scratch.path, "--timeout", "0.5"])
      #expect(outcome.status == 1 && outcome.output.isEmpty, "\(outcome)")
      #expect(outcome.errors.contains("Nobody else is in 'test'"), "\(outcome)")
    }
  }

  private struct Unwritten: Error { let errors: String }

  /// Writes through the daemon, once that serves.
  private static func write(_ key: String, to scratch: borrowing Scratch, timeout: String = "60") async throws {
    let outcome = try await Programs.run(
      "starling", ["set", "test", key, "--string", "some", "--sockets", scratch.path, "--timeout", timeout])
    guard outcome.status == 0 else { throw Unwritten(errors: outcome.errors) }
  }
}
