import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct `The operator's command` {
  @Test func `says that nobody is there`() async throws {
    let scratch = try Scratch()
    let outcome = try await Programs.run("starling", ["status", "test", "--sockets", scratch.path])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("Nobody else is here."))
  }

  @Test func `dumps what a daemon keeps`() async throws {
    let scratch = try Scratch()
    let daemon = try Running(
      "starlingd", ["--group", "test", "--directory", scratch.path + "/data", "--sockets", scratch.path])
    defer {
      daemon.process.terminate()
      daemon.process.waitUntilExit()
    }
    // The command waits for the daemon itself: until its socket is there, nobody is in the group.
    var status = ""
    while !status.contains("starlingd") {
      status = try await Programs.run("starling", ["status", "test", "--json", "--sockets", scratch.path]).output
    }
    #expect(status.contains("\"isDurable\":true"))
    let dump = try await Programs.run("starling", ["dump", "test", "--sockets", scratch.path])
    #expect(dump.status == 0, "\(dump.errors)")
    #expect(try JSONSerialization.jsonObject(with: Data(dump.output.utf8)) as? [String: String] == [:])
  }

  @Test func `refuses a group's name that is none, in words`() async throws {
    let outcome = try await Programs.run("starling", ["status", "no/group"])
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("no/group"))
    #expect(!outcome.errors.contains("Fatal"))
  }
}
