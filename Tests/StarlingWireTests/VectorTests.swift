import Foundation
import StarlingCore
import StarlingWire
import Testing

/// Protocol/vectors, held against this reader and writer.
@Suite struct `The vectors of the protocol` {
  @Test func `that are accepted decode to what they say`() throws {
    if ProcessInfo.processInfo.environment["STARLING_WRITE_VECTORS"] != nil { try AcceptedVectors.write() }
    let files = try Vector.files(in: "accept")
    #expect(files.count >= 30)
    for (name, file) in files {
      let vector = try #require(Vector(name: name, file: file), "accept/\(name).json is not a vector")
      #expect(throws: Never.self, "accept/\(name).json") {
        let isSame = try vector.content() == file["content"]
        #expect(isSame, "accept/\(name).json decodes to something else")
        if vector.isCanonical {
          let isRewritten = try vector.rewritten() == vector.subject
          #expect(isRewritten, "accept/\(name).json is written otherwise")
        }
      }
    }
  }

  @Test func `that are refused say why and where`() throws {
    let files = try Vector.files(in: "reject")
    #expect(files.count >= 60)
    for (name, file) in files {
      let vector = try #require(Vector(name: name, file: file), "reject/\(name).json is not a vector")
      do throws(WireError) {
        _ = try vector.content()
        Issue.record("reject/\(name).json is accepted")
      } catch {
        #expect(error.code.rawValue == file["code"]?.text, "reject/\(name).json: \(error)")
        #expect(error.offset == file["offset"]?.number, "reject/\(name).json: \(error)")
      }
    }
  }

  @Test func `of states are taken alike by a reader that leaves validated bytes in place`() throws {
    let files = try Vector.files(in: "accept") + Vector.files(in: "reject")
    var count = 0
    for (name, file) in files {
      guard case .snapshot(let bytes)? = Vector(name: name, file: file)?.subject else { continue }
      count += 1
      let whole = Result { try Document(SnapshotCoding.decode(bytes)).snapshot() }
      let validated = Result { try SnapshotCoding.validate(bytes).document.snapshot() }
      switch (whole, validated) {
      case (.success(let whole), .success(let validated)): #expect(whole == validated, "\(name).json")
      case (.failure(let whole), .failure(let validated)): #expect("\(whole)" == "\(validated)", "\(name).json")
      default: Issue.record("\(name).json: \(whole) is not \(validated)")
      }
    }
    #expect(count >= 90)
  }

  @Test func `show every code of refusal`() throws {
    let shown = Set(try Vector.files(in: "reject").compactMap { $0.file["code"]?.text })
    // A stream is broken by a first refusal only, which a file of one stream ends with.
    let codes = Set(WireError.Code.allCases.map(\.rawValue)).subtracting(["brokenStream"])
    #expect(shown == codes)
  }

  @Test func `decode alike in the second reader`() throws {
    let reference = Vector.folder.deletingLastPathComponent().appending(path: "reference/decode.py")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", reference.path, Vector.folder.path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text.contains(", 0 failed"))
  }
}
