import Foundation
import Testing

/// The compiler on the path, asked what it says of a few lines that use the library which was built with these tests.
enum Compiler {
  struct Complaint: CustomStringConvertible {
    let line: Int
    let message: String

    var description: String { "line \(line): \(message)" }
  }

  /// The errors in `source`, by their lines; none if it compiles. An error in an expansion has the line of what was
  /// expanded.
  ///
  /// - Throws: where the compiler could not be asked, or said something that is no error in `source`.
  static func errors(
    in source: String, defining names: [String] = [], options: [String] = []
  ) async throws -> [Complaint] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "starling-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Sample.swift")
    try Data(source.utf8).write(to: file)

    let products = try Products.beside(CommandLine.arguments[0])
    let arguments =
      ["-typecheck", "-swift-version", "6", "-parse-as-library"] + products.arguments + names.flatMap { ["-D", $0] }
      + options
      + [file.path(percentEncoded: false)]
    let (status, said) = try await run("swiftc", arguments)
    let written = /Sample\.swift:([0-9]+):[0-9]+: error: (.*)/
    let expanded = /macro expansion [^\n]*: error: ([^\n]*)\n[^\n]*Sample\.swift:([0-9]+):[0-9]+: note: expanded code/
    let errors =
      said.matches(of: written).compactMap { match in
        Int(match.1).map { Complaint(line: $0, message: String(match.2)) }
      }
      + said.matches(of: expanded).compactMap { match in
        Int(match.2).map { Complaint(line: $0, message: String(match.1)) }
      }
    guard (status == 0) == errors.isEmpty else { throw Trouble(said: "swiftc ended with \(status):\n\(said)") }
    return errors
  }

  struct Trouble: Error, CustomStringConvertible {
    let said: String
    var description: String { said }
  }

  /// What the build left: modules, the macros' plugin, and the maps of the modules in C.
  private struct Products {
    let arguments: [String]

    /// The test runner stands in the folder of the products, or below it.
    static func beside(_ runner: String) throws -> Products {
      let files = FileManager.default
      var place = URL(fileURLWithPath: runner).deletingLastPathComponent()
      for _ in 0..<4 {
        func found(_ names: [String]) -> String? {
          names.map { place.appending(path: $0).path(percentEncoded: false) }.first { files.fileExists(atPath: $0) }
        }
        if let module = found(["Modules/StarlingView.swiftmodule"]),
          let plugin = found(["StarlingMacros-tool", "StarlingMacros"]),
          let thread = found(["CThread.build/module.modulemap"]), let futex = found(["CFutex.build/module.modulemap"])
        {
          return Products(
            arguments: [
              "-I", URL(fileURLWithPath: module).deletingLastPathComponent().path(percentEncoded: false),
              "-Xcc", "-fmodule-map-file=\(thread)", "-Xcc", "-fmodule-map-file=\(futex)",
              "-load-plugin-executable", "\(plugin)#StarlingMacros",
            ] + target)
        }
        place.deleteLastPathComponent()
      }
      throw Trouble(said: "No modules, plugin and module maps of this build stand beside '\(runner)'.")
    }

    /// As Package.swift has it.
    private static var target: [String] {
      #if os(macOS) && arch(arm64)
        ["-target", "arm64-apple-macosx26.0"]
      #elseif os(macOS)
        ["-target", "x86_64-apple-macosx26.0"]
      #else
        []
      #endif
    }
  }

  /// Runs a program of the path to its end.
  private static func run(_ name: String, _ arguments: [String]) async throws -> (status: Int32, said: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [name] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let said = try await withCheckedThrowingContinuation { continuation in
      // Reading waits for the program, which no thread of a task should.
      Thread.detachNewThread { continuation.resume(with: Result { try output.fileHandleForReading.readToEnd() }) }
    }
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: said ?? Data(), as: UTF8.self))
  }
}
