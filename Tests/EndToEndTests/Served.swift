import Foundation
import StarlingTestSupport
import Testing

/// A daemon that serves the group 'test' from `data` in a directory, where its sockets are too.
struct Served: ~Copyable {
  let scratch: Scratch
  /// What it said once it served.
  let announcement: String
  let daemon: Process

  init(_ more: [String] = []) async throws { try await self.init(in: Scratch(), more) }

  /// - Parameter more: Its arguments besides.
  init(in scratch: consuming Scratch, _ more: [String] = []) async throws {
    let daemon = Process()
    daemon.executableURL = try Programs.url("starlingd")
    daemon.arguments = ["--group", "test", "--directory", scratch.path + "/data", "--sockets", scratch.path] + more
    let output = Pipe()
    daemon.standardOutput = output
    daemon.standardError = FileHandle.nullDevice
    try daemon.run()
    announcement = String(decoding: await output.fileHandleForReading.next(), as: UTF8.self)
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
