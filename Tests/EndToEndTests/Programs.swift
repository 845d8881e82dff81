import Foundation
import Testing

/// The programs that were built beside the tests.
enum Programs {
  static func url(_ name: String) throws -> URL {
    // The test runner stands in the directory of the build's products, or below it.
    var place = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    for _ in 0..<4 {
      let candidate = place.appendingPathComponent(name)
      if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
      place.deleteLastPathComponent()
    }
    throw Missing(name: name)
  }

  struct Missing: Error, CustomStringConvertible {
    let name: String

    var description: String {
      "'\(name)' is not beside the tests; build it with 'swift build --product \(name)'."
    }
  }

  struct Outcome {
    var status: Int32
    var output: String
    var errors: String
  }

  /// Runs a program to its end.
  static func run(
    _ name: String, _ arguments: [String], input: String? = nil, environment: [String: String] = [:]
  ) async throws -> Outcome {
    let running = try Running(name, arguments, input: input, environment: environment)
    return await running.outcome()
  }
}

/// A program that runs.
final class Running: Sendable {
  let process: Process
  private let output: Task<String, Never>
  private let errors: Task<String, Never>

  /// - Parameter input: what it reads from standard input; short enough for a pipe to hold.
  /// - Parameter environment: what it finds in its environment beside what this process does.
  convenience init(_ name: String, _ arguments: [String], input: String? = nil, environment: [String: String] = [:])
    throws
  {
    try self.init(at: Programs.url(name), arguments, input: input, environment: environment)
  }

  init(at program: URL, _ arguments: [String], input: String? = nil, environment: [String: String] = [:]) throws {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    if !environment.isEmpty {
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    }
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    let pipe = input.map { _ in Pipe() }
    if let pipe { process.standardInput = pipe } else { process.standardInput = FileHandle.nullDevice }
    try process.run()
    if let pipe, let input {
      try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try pipe.fileHandleForWriting.close()
    }
    self.process = process
    self.output = Self.collect(output.fileHandleForReading)
    self.errors = Self.collect(errors.fileHandleForReading)
  }

  private static func collect(_ handle: FileHandle) -> Task<String, Never> {
    Task {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          let data = (try? handle.readToEnd()) ?? Data()
          continuation.resume(returning: String(decoding: data, as: UTF8.self))
        }
      }
    }
  }

  /// What it printed and how it ended.
  func outcome() async -> Programs.Outcome {
    let output = await output.value
    let errors = await errors.value
    process.waitUntilExit()
    return Programs.Outcome(status: process.terminationStatus, output: output, errors: errors)
  }
}

/// A directory of its own for one test, short enough for the paths of sockets.
struct Scratch: ~Copyable {
  let path: String

  init() throws {
    path = "/tmp/starling-test-\(UInt32.random(in: .min ... .max))"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
