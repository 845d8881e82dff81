import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct `Daemons of the shards of a group` {
  /// Documents of the first and the second of two shards.
  private static let documents = ["notes", "library"]

  private static func arguments(in scratch: borrowing Scratch, directory: String) -> [String] {
    ["--group", "test", "--directory", scratch.path + "/" + directory, "--sockets", scratch.path]
  }

  /// Starts one, and returns once it says what it serves.
  private static func start(_ shard: String, in scratch: borrowing Scratch, _ environment: [String: String] = [:])
    throws
    -> Process
  {
    let daemon = Process()
    daemon.executableURL = try Programs.url("starlingd")
    daemon.arguments = arguments(in: scratch, directory: "data-\(shard.prefix(1))")
    if environment.isEmpty { daemon.arguments? += ["--shard", shard] }
    daemon.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    daemon.standardOutput = output
    daemon.standardError = FileHandle.nullDevice
    try daemon.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    #expect(line.contains("serves shard \(shard) of 'test'"), "It said: \(line)")
    return daemon
  }

  private static func stop(_ daemons: [Process]) {
    for daemon in daemons {
      daemon.terminate()
      daemon.waitUntilExit()
      #expect(daemon.terminationStatus == 0)
    }
  }

  /// What a program says that joins by the directory of sockets, as programs do.
  private static func starling(_ command: String, _ more: [String], in document: String, _ scratch: borrowing Scratch)
    async throws -> Programs.Outcome
  {
    try await Programs.run(
      "starling", [command, "test"] + more + ["--document", document, "--sockets", scratch.path, "--timeout", "60"])
  }

  @Test func `are all found by programs, which read and write the documents of each`() async throws {
    let scratch = try Scratch()
    for value in ["1", "2"] {
      // The second of them is told by its environment.
      let daemons = [try Self.start("1/2", in: scratch), try Self.start("2/2", in: scratch, ["STARLING_SHARD": "2/2"])]
      for document in Self.documents {
        let set = try await Self.starling("set", ["of-\(document)", value], in: document, scratch)
        #expect(set.status == 0, "\(set)")
        let dump = try await Self.starling("dump", ["--json"], in: document, scratch)
        #expect(dump.status == 0 && dump.output == "{\"of-\(document)\":\(value)}\n", "\(dump)")
      }
      // Whoever starts again has its own.
      Self.stop(daemons)
    }
    // One that served another shard before does not serve: nobody finds an empty document in place of what was written.
    let wrong = try await Programs.run(
      "starlingd", Self.arguments(in: scratch, directory: "data-1") + ["--shard", "2/2"])
    #expect(wrong.status == 1)
    #expect(wrong.errors.contains("for other shards than 2/2: 'notes' (1/2)"), "It said: \(wrong.errors)")
    let right = try Self.start("1/2", in: scratch)
    Self.stop([right])
  }

  @Test(arguments: ["5/4", "0/2", "half", "1/1000"]) func `are refused where there is no such shard`(shard: String)
    async throws
  {
    let scratch = try Scratch()
    let outcome = try await Programs.run(
      "starlingd", Self.arguments(in: scratch, directory: "data") + ["--shard", shard])
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("--shard \(shard): write I/N"), "It said: \(outcome.errors)")
    #expect(!FileManager.default.fileExists(atPath: scratch.path + "/data"))
  }
}
