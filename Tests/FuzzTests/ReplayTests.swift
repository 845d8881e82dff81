import Foundation
import Testing

/// What a fuzzer found worth keeping (`make fuzz`, Fuzzing/): inputs that together cover every edge it reached, and
/// those that once broke something. Without a fuzzer they are read again, so that what was found once stays found.
@Suite struct `What was fuzzed` {
  @Test(arguments: FuzzedDecoder.all)
  func `is read or refused, and breaks no law`(_ decoder: FuzzedDecoder) throws {
    let inputs = try Inputs.read("Corpora", decoder)
    var readCount = 0
    for input in inputs {
      do {
        if try decoder.check(input) { readCount += 1 }
      } catch {
        Issue.record("\(decoder.name): \(error), of \(Data(input).base64EncodedString())")
      }
    }
    #expect(readCount > 0, "Nothing of the corpus of \(decoder.name) is read.")
    #expect(readCount < inputs.count || decoder.refusesNothing, "Nothing of the corpus of \(decoder.name) is refused.")
  }

  @Test(arguments: FuzzedDecoder.all)
  func `and broke a law once breaks none now`(_ decoder: FuzzedDecoder) throws {
    for input in try Inputs.read("Found", decoder) {
      #expect(throws: Never.self, "\(decoder.name): \(Data(input).base64EncodedString())") {
        try decoder.check(input)
      }
    }
  }

  @Test func `is of decoders that have names of their own, and of no other`() throws {
    let names = Set(FuzzedDecoder.all.map(\.name))
    #expect(names.count == FuzzedDecoder.all.count)
    for folder in ["Corpora", "Found"] {
      let files = try FileManager.default.contentsOfDirectory(atPath: Inputs.folder.appending(path: folder).path)
      let others = Set(files.map { $0.replacing(".txt", with: "") }).subtracting(names)
      // Those of a cluster are there where its trait is.
      #expect(others.allSatisfy { $0.hasPrefix("cluster-") }, "\(folder) has \(others.sorted())")
    }
  }
}

/// Files of inputs: one a line, in base64; a line that begins with # is for people.
private enum Inputs {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fuzzing")

  static func read(_ kind: String, _ decoder: FuzzedDecoder) throws -> [[UInt8]] {
    let file = folder.appending(path: "\(kind)/\(decoder.name).txt")
    if kind == "Found", !FileManager.default.fileExists(atPath: file.path) { return [] }
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.utf8.count <= 100_000, "\(file.path) has grown beyond what is kept; make fuzz ARGS=--minimise.")
    return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      [UInt8](try #require(Data(base64Encoded: String(line)), "'\(line)' is no base64"))
    }
  }
}
