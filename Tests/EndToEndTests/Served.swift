import Foundation
import StarlingTestSupport
import Testing

/// A daemon that serves the group 'test' in a directory of its own.
struct Served: ~Copyable {
  let scratch: Scratch
  private let daemon: Process

  init() async throws {
    let scratch = try Scratch()
    let daemon = Process()
    daemon.executableURL = try Programs.url("starlingd")
    daemon.arguments = ["--group", "test", "--directory", scratch.path + "/data", "--sockets", scratch.path]
    let output = Pipe()
    daemon.standardOutput = output
    daemon.standardError = FileHandle.nullDevice
    try daemon.run()
    // It says so once it serves.
    _ = await output.fileHandleForReading.next()
    self.scratch = scratch
    self.daemon = daemon
  }

  deinit {
    daemon.terminate()
    daemon.waitUntilExit()
  }

  func starling(_ arguments: String..., input: String? = nil) async throws -> Programs.Outcome {
    try await starling(arguments, input: input)
  }

  func starling(_ arguments: [String], input: String? = nil) async throws -> Programs.Outcome {
    try await Programs.run("starling", arguments + ["--sockets", scratch.path, "--timeout", "60"], input: input)
  }

  func fill() async throws {
    let outcome = try await starling(
      "load", "test", "--message", "First edition",
      input:
        "{\"desk\": {\"title\": \"Dune\", \"copies\": 3, \"chapters\": [{\"title\": \"One\"}, {\"title\": \"Two\"}]}}")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("acknowledged by another member"), "\(outcome.errors)")
  }
}

extension FileHandle {
  /// What comes next; the thread that waits for it is none of those that tests share.
  func next() async -> Data {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: self.availableData) }
    }
  }
}
