import Foundation

/// Has the same work done by other systems, through `peers/peers.py`.
package struct Peers {
  /// The interpreter that has them installed.
  package let python: String

  package init(python: String) {
    self.python = python
  }

  /// The figures of each peer, by case; empty, and said on standard error, where they are not installed.
  ///
  /// A peer's figure without what its language adds stands under its key; what was subtracted, under `KEY-glue`.
  package func measure(_ cases: [String]) throws -> [String: [String: Double]] {
    guard FileManager.default.isExecutableFile(atPath: python) else {
      Report.say("yrs and loro are left out: not installed (make bench-peers)")
      return [:]
    }
    let script = URL(filePath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "peers/peers.py").path(percentEncoded: false)
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: python)
    process.arguments = [script] + (Scale.isQuick ? [Scale.flag] : []) + cases
    process.standardOutput = output
    try process.run()
    let lines = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      Report.say("\(script) ended with \(process.terminationStatus); what it did not print is left out")
    }
    var found: [String: [String: Double]] = [:]
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      let figure = try JSONDecoder().decode(PeerFigure.self, from: Data(line))
      found[figure.case, default: [:]][figure.peer] = figure.value
      if let glue = figure.glue { found[figure.case, default: [:]][figure.peer + "-glue"] = glue }
    }
    return found
  }

  private struct PeerFigure: Decodable {
    let `case`: String
    let peer: String
    let value: Double
    let glue: Double?
  }
}
