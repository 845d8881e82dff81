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

  @Test(arguments: [true, false])
  func `finds the directory of sockets in the environment, as the daemon does`(isNamed: Bool) async throws {
    let scratch = try Scratch()
    let sockets = isNamed ? scratch.path : scratch.path + "/starling"
    // An empty name is none: the user's runtime directory counts.
    let environment = ["STARLING_SOCKETS": isNamed ? sockets : "", "XDG_RUNTIME_DIR": scratch.path]
    let daemon = try Running(
      "starlingd", ["--group", "test", "--directory", scratch.path + "/data"], environment: environment)
    defer {
      daemon.process.terminate()
      daemon.process.waitUntilExit()
    }
    let set = try await Programs.run(
      "starling", ["set", "test", "a", "1", "--timeout", "60"], environment: environment)
    #expect(set.status == 0, "\(set.errors)")
    let get = try await Programs.run("starling", ["get", "test", "a", "--sockets", sockets])
    #expect(get.output == "1\n", "\(get.errors)")
  }

  @Test(arguments: [["status", "test"], ["doctor", "test"], ["dump", "test"], ["set", "test", "a", "1"]])
  func `hands nothing to a peer that answers beyond loopback without a key`(_ arguments: [String]) async throws {
    let scratch = try Scratch()
    let keys = scratch.path + "/keys"
    #expect(try await Programs.run("starling", ["keys", "new", "--directory", keys]).status == 0)
    for more in [[], ["--keys", keys]] {
      let outcome = try await Programs.run(
        "starling",
        arguments + ["--connect", "tcp://192.0.2.7:7400", "--sockets", scratch.path, "--timeout", "1"] + more)
      #expect(outcome.status == 1)
      #expect((outcome.errors + outcome.output).contains("tcp://KEY@192.0.2.7:7400"), "\(outcome)")
    }
  }

  @Test(arguments: [["KEY", "--name", "ada"], ["--name", "ada", "KEY"], ["--name", "ada", "--", "KEY"]])
  func `lets in a key that begins with a hyphen`(_ arguments: [String]) async throws {
    let scratch = try Scratch()
    let keys = scratch.path + "/keys"
    let key = "-h" + String(repeating: "x", count: 40) + "A"
    #expect(try await Programs.run("starling", ["keys", "new", "--directory", keys]).status == 0)
    let outcome = try await Programs.run(
      "starling",
      ["keys", "authorize", "--directory", keys] + arguments.map { $0.replacing("KEY", with: key) })
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == "ada is let in: writes *\n")
    let list = try await Programs.run("starling", ["keys", "list", "--directory", keys])
    #expect(list.output == "\(key)  ada: writes *\n")
  }

  @Test func `refuses a group's name that is none, in words`() async throws {
    let outcome = try await Programs.run("starling", ["status", "no/group"])
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("no/group"))
    #expect(!outcome.errors.contains("Fatal"))
  }
}
