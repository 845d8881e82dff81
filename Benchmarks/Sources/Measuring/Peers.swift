import Foundation

/// Has the same work done by other systems: Yrs and Loro through `peers/peers.py`, Yjs through `peers/yjs.js`.
package struct Peers {
  /// The interpreter of Python that has them installed.
  package let python: String

  package init(python: String) {
    self.python = python
  }

  /// The figures of each peer, by case; what is not installed is left out, and that is said on standard error.
  ///
  /// A peer's figure without what its language adds stands under its key; what was subtracted, under `KEY-glue`.
  package func measure(_ cases: [String]) throws -> [String: [String: Double]] {
    var found: [String: [String: Double]] = [:]
    if FileManager.default.isExecutableFile(atPath: python) {
      try run([python, Self.script("peers.py")], cases, into: &found)
    } else {
      Report.say("yrs and loro are left out: not installed (make bench-peers)")
    }
    // A machine without Yjs says so itself.
    if let node = Self.node {
      try run([node, Self.script("yjs.js")], cases, into: &found)
    } else {
      Report.say("yjs is left out: there is no node on the PATH (make bench-peers)")
    }
    return found
  }

  private func run(_ command: [String], _ cases: [String], into found: inout [String: [String: Double]]) throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: command[0])
    process.arguments = command.dropFirst() + (Scale.isQuick ? [Scale.flag] : []) + cases
    process.environment = ProcessInfo.processInfo.environment.merging(Self.modules) { own, _ in own }
    process.standardOutput = output
    try process.run()
    let lines = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    if process.terminationStatus != 0 {
      Report.say("\(command[1]) ended with \(process.terminationStatus); what it did not print is left out")
    }
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      let figure = try JSONDecoder().decode(PeerFigure.self, from: Data(line))
      found[figure.case, default: [:]][figure.peer] = figure.value
      if let glue = figure.glue { found[figure.case, default: [:]][figure.peer + "-glue"] = glue }
    }
  }

  private static func script(_ name: String) -> String {
    URL(filePath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "peers/\(name)").path(percentEncoded: false)
  }

  private static var node: String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/node" }
      .first(where: FileManager.default.isExecutableFile)
  }

  /// Where Debian keeps the modules of node.
  private static let modules = ["NODE_PATH": "/usr/share/nodejs:/usr/lib/nodejs"]

  private struct PeerFigure: Decodable {
    let `case`: String
    let peer: String
    let value: Double
    let glue: Double?
  }
}
