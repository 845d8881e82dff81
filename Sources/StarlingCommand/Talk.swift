import ArgumentParser
import Foundation
import Starling

/// A person's mistake, or a failure that a person can do something about: in words, with status 1.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// To the person, on standard error; nothing that others wrote reaches the terminal but as text.
func say(_ words: String) {
  FileHandle.standardError.write(Data("starling: \(words.printable(keepsLines: true))\n".utf8))
}

/// What was asked for, on standard output; at once, also into a pipe. JSON says the same as before.
func put(_ line: String) {
  FileHandle.standardOutput.write(Data((line.printable(keepsLines: true) + "\n").utf8))
}

/// Runs `body`; an error is said without a trace.
func sayingWhatFails(_ body: () async throws -> Void) async throws {
  do {
    try await body()
  } catch let error as ExitCode {
    throw error
  } catch let error as ValidationError {
    throw error
  } catch {
    say("\(error)")
    throw ExitCode.failure
  }
}

/// What a file holds; - is standard input. Nil where it cannot be read.
func contents(of file: String) -> Data? {
  if file == "-" { return try? FileHandle.standardInput.readToEnd() ?? Data() }
  return FileManager.default.contents(atPath: absolutePath(file))
}

func absolutePath(_ path: String) -> String {
  (path as NSString).expandingTildeInPath
}

/// A moment as people and programs read it.
func moment(milliseconds: UInt64) -> String {
  // The greatest that a stamp can hold is in the year 10889. What a Double lacks of a millisecond would be cut to one
  // less.
  moment(Date(timeIntervalSince1970: (Double(min(milliseconds, 1 << 48)) + 0.1) / 1000))
}

func moment(_ date: Date) -> String {
  date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
}

func counted(_ count: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
  "\(count) \(count == 1 ? noun : plural ?? noun + "s")"
}

extension DocumentPath {
  /// For a line.
  var shown: String { parts.isEmpty ? "/" : description }
}

extension [DocumentPath] {
  /// Each once, and none that is below another.
  var uppermost: [DocumentPath] {
    let all = Set(self)
    var told: Set<DocumentPath> = []
    return filter { path in
      let isBelow = path.parts.indices.contains { all.contains(DocumentPath(parts: [String](path.parts[..<$0]))) }
      return !isBelow && told.insert(path).inserted
    }
  }
}
