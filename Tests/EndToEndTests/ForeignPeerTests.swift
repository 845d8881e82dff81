import Foundation
import StarlingWire
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct `A program of another protocol` {
  struct Greeting: Sendable, CustomTestStringConvertible {
    var bytes: [UInt8]
    var code: Message.Refusal.Code
    /// What operators are told of it.
    var words: String
    var testDescription: String { words }
  }

  static let greetings = [
    Greeting(
      bytes: ForeignPeer.later, code: .incompatibleVersion,
      words: "speaks protocol versions 1 to 1, starling 9.0 8 to 9"),
    Greeting(bytes: ForeignPeer.other, code: .malformed, words: "does not say 'Star'"),
  ]

  @Test(arguments: greetings) func `is refused by name, to itself and in the daemon's log`(greeting: Greeting)
    async throws
  {
    let scratch = try Scratch()
    let log = scratch.path + "/log"
    try Data().write(to: URL(fileURLWithPath: log))
    let daemon = Process()
    daemon.executableURL = try Programs.url("starlingd")
    daemon.arguments = [
      "--group", "test", "--directory", scratch.path + "/data", "--sockets", scratch.path, "--listen",
      "tcp://127.0.0.1:0",
    ]
    let output = Pipe()
    daemon.standardOutput = output
    daemon.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: log))
    try daemon.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let endpoint = try #require(line.split(whereSeparator: \.isWhitespace).last { $0.hasPrefix("tcp://") })
    let peer = ForeignPeer(greeting: greeting.bytes)
    try await peer.start()
    try await peer.dial(String(endpoint))
    let refusal = await peer.firstRefusal()
    await peer.stop()
    daemon.terminate()
    daemon.waitUntilExit()
    #expect(refusal.code == greeting.code)
    #expect(refusal.explanation.contains(greeting.words), "\(refusal.explanation)")
    let said = try String(contentsOfFile: log, encoding: .utf8)
    #expect(said.contains(greeting.words), "\(said)")
  }

  @Test(arguments: greetings) func `is named by the doctor`(greeting: Greeting) async throws {
    let peer = ForeignPeer(greeting: greeting.bytes)
    try await peer.start()
    let endpoint = try await peer.bind()
    let outcome = try await Programs.run("starling", ["doctor", "test", "--connect", endpoint, "--timeout", "3"])
    await peer.stop()
    #expect(outcome.status == 1)
    #expect(outcome.output.contains(greeting.words), "\(outcome.output)")
  }
}
