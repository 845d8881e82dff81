import Foundation
import StarlingTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A store that is backed up` {
  @Test func `while its daemon runs comes back as it was then`() async throws {
    let scratch = try Scratch()
    let served = try await Served()
    try await served.fill()
    let backup = scratch.path + "/backup.sqlite"
    let made = try await Programs.run("starling", ["backup", served.scratch.path + "/data", backup])
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.errors.contains("holds 1 document with"), "\(made.errors)")
    let after = try await served.starling("set", "test", "desk/title", "--string", "Dune Messiah")
    #expect(after.status == 0, "\(after.errors)")
    let verified = try await Programs.run("starling", ["verify", served.scratch.path + "/data", "--json"])
    #expect(verified.status == 0 && verified.output.contains("\"whole\":true"), "\(verified.output)")

    let restored = try await Programs.run("starling", ["restore", backup, scratch.path + "/data"])
    #expect(restored.status == 0, "\(restored.errors)")
    let again = try await Programs.run("starling", ["restore", backup, scratch.path + "/data"])
    #expect(again.status == 1 && again.errors.contains("holds a store already"), "\(again.errors)")
    let servedAgain = try await Served(in: scratch)
    let read = try await servedAgain.starling("get", "test", "desk/title")
    #expect(read.output == "\"Dune\"\n", "\(read.output) \(read.errors)")
  }

  @Test func `is said to be damaged where it is, with status 1`() async throws {
    let scratch = try Scratch()
    let file = scratch.path + "/backup.sqlite"
    try Data("no database".utf8).write(to: URL(fileURLWithPath: file))
    for command in [["verify", file], ["restore", file, scratch.path + "/data"]] {
      let outcome = try await Programs.run("starling", command)
      #expect(outcome.status == 1)
      #expect((outcome.output + outcome.errors).contains("damaged"), "\(outcome.output) \(outcome.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: scratch.path + "/data/starling.sqlite"))
  }
}
