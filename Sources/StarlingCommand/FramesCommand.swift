public import ArgumentParser
import Foundation
public import Starling

extension StarlingCommand {
  struct Frames: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Explain captured frames byte by byte.",
      discussion: """
        The input is the bytes of one frame, or hexadecimal digits, a frame a line, in the order in which they were \
        captured, because later frames of a stream refer to earlier ones. The command guesses whether a frame is a message \
        or a published frame; --as names another kind. Protocol/wire-format.md specifies the bytes.

          echo 0a | starling frames
          jq -r .bytes Protocol/vectors/accept/message-have.json | starling frames

        Status: 1 where something cannot be read; the code and the place are said.
        """)

    @Argument(help: "The file; - or nothing for standard input.", completion: .file()) var file = "-"
    @Option(name: .customLong("as"), help: "What the frames are.") var kind: FrameKind?
    @Flag(help: "One JSON object a frame.") var json = false

    func run() async throws {
      try await sayingWhatFails {
        var explainer = FrameExplainer()
        var isWhole = true
        for (number, bytes) in try Self.frames(in: read()).enumerated() {
          let explanation = explainer.explain(bytes, as: kind)
          put(json ? explanation.json(of: bytes).description : explanation.lines(of: bytes, number: number + 1))
          isWhole = isWhole && explanation.error == nil
        }
        if !isWhole { throw ExitCode.failure }
      }
    }

    private func read() throws -> Data {
      guard let data = contents(of: file) else {
        throw Failure("\(file == "-" ? "Standard input" : "'\(file)'") cannot be read.")
      }
      guard !data.isEmpty else { throw Failure("There are no bytes to explain.") }
      return data
    }

    /// Whatever is digits and space alone is digits.
    private static func frames(in data: Data) throws -> [[UInt8]] {
      let isText = data.allSatisfy { $0.isHexDigit || $0.isSpace }
      guard isText else { return [[UInt8](data)] }
      var frames: [[UInt8]] = []
      for (number, line) in data.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
        let digits = line.filter { !$0.isSpace }
        if digits.isEmpty { continue }
        guard digits.count.isMultiple(of: 2) else {
          throw Failure("Line \(number + 1) has \(digits.count) hexadecimal digits, half a byte too many.")
        }
        frames.append(
          stride(from: 0, to: digits.count, by: 2).map {
            digits[digits.startIndex + $0].hexValue << 4 | digits[digits.startIndex + $0 + 1].hexValue
          })
      }
      return frames
    }
  }
}

extension UInt8 {
  fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
  fileprivate var isHexDigit: Bool { (0x30...0x39).contains(self) || (0x41...0x46).contains(self & 0xDF) }
  fileprivate var hexValue: UInt8 { self <= 0x39 ? self - 0x30 : (self & 0xDF) - 0x37 }

  fileprivate var digits: String { (self < 16 ? "0" : "") + String(self, radix: 16) }
}

extension FrameExplanation {
  private static let bytesShownMax = 8

  fileprivate func lines(of bytes: [UInt8], number: Int) -> String {
    var lines = ["frame \(number): \(counted(bytes.count, "byte")), \(kind.rawValue)"]
    for piece in pieces {
      let indent = String(repeating: "  ", count: piece.depth)
      if piece.bytes.isEmpty {
        lines.append(Self.row("", "", "\(indent)\(piece.meaning):"))
      } else {
        lines.append(Self.row("\(piece.bytes.lowerBound)", Self.digits(bytes[piece.bytes]), indent + piece.meaning))
      }
    }
    if let error, let errorOffset {
      lines.append(
        Self.row(
          "\(errorOffset)", Self.digits(bytes[min(errorOffset, bytes.count)...]), "\(error.code.rawValue): \(error)"))
    }
    return lines.joined(separator: "\n")
  }

  private static func row(_ offset: String, _ digits: String, _ meaning: String) -> String {
    let width = 3 * bytesShownMax + 1
    return String(repeating: " ", count: max(0, 6 - offset.count)) + offset + "  "
      + digits.padding(toLength: max(width, digits.count), withPad: " ", startingAt: 0) + meaning
  }

  private static func digits(_ bytes: ArraySlice<UInt8>) -> String {
    guard bytes.count > bytesShownMax else { return bytes.map(\.digits).joined(separator: " ") }
    return bytes.prefix(bytesShownMax - 1).map(\.digits).joined(separator: " ") + " …"
  }

  fileprivate func json(of bytes: [UInt8]) -> JSONValue {
    [
      "kind": .string(kind.rawValue),
      "pieces": .array(
        pieces.map {
          [
            "offset": .integer(Int64($0.bytes.lowerBound)), "depth": .integer(Int64($0.depth)),
            "bytes": .string(bytes[$0.bytes].map(\.digits).joined()), "meaning": .string($0.meaning),
          ]
        }),
      "error": error.map {
        [
          "code": .string($0.code.rawValue), "offset": .integer(Int64(errorOffset ?? $0.offset)),
          "message": .string($0.message),
        ]
      } ?? nil,
    ]
  }
}

extension FrameKind: ExpressibleByArgument {}
