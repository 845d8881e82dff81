import Foundation
import Starling
import StarlingTestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct `The operator's command, beside a daemon,` {
  @Test func `loads, gets and dumps`() async throws {
    let served = try await Served()
    try await served.fill()
    #expect(try await served.starling("get", "test", "desk/chapters/1/title").output == "\"Two\"\n")
    #expect(try await served.starling("get", "test", "/desk/title", "--raw").output == "Dune\n")
    let dump = try await served.starling("dump", "test", "--json")
    #expect(
      dump.output
        == "{\"desk\":{\"chapters\":[{\"title\":\"One\"},{\"title\":\"Two\"}],\"copies\":3,\"title\":\"Dune\"}}\n")
    // What was dumped is there already.
    let again = try await served.starling("load", "test", "--json", input: dump.output)
    #expect(again.output == "{\"acknowledged\":false,\"changed\":false,\"durable\":false,\"path\":\"\"}\n")
    // A command that only reads leaves no trace of itself: all was written by one.
    let status = try JSONValue(parsing: try await served.starling("status", "test", "--json").output)
    #expect(status["writers"] == 1)
  }

  @Test func `names what is there where nothing is`() async throws {
    let served = try await Served()
    try await served.fill()
    let outcome = try await served.starling("get", "test", "desk/titel")
    #expect(outcome.status == 1)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains("'desk/titel'") && outcome.errors.contains("chapters, copies, title"))
  }

  @Test func `sets, removes, and keeps to what is there`() async throws {
    let served = try await Served()
    try await served.fill()
    let set = try await served.starling(
      "set", "test", "desk/title", "--string", "Emma", "--json", "--message", "Rename")
    #expect(
      set.output
        == "{\"acknowledged\":true,\"changed\":true,\"durable\":true,\"path\":\"/desk/title\",\"value\":\"Emma\"}\n")
    #expect(set.status == 0, "\(set.errors)")
    let wrong = try await served.starling("set", "test", "desk/title", "5")
    #expect(wrong.status == 1)
    #expect(wrong.errors.contains("'desk/title' is a string"))
    #expect(try await served.starling("set", "test", "desk/title", "5", "--as", "integer").status == 0)
    #expect(try await served.starling("set", "test", "desk/chapters/0", "--remove").status == 0)
    #expect(try await served.starling("set", "test", "desk/chapters/-", "{\"title\":\"Three\"}").status == 0)
    #expect(try await served.starling("set", "test", "desk/title", "Emma").status == 64)
    #expect(
      try await served.starling("get", "test", "desk", "--json").output
        == "{\"chapters\":[{\"title\":\"Two\"},{\"title\":\"Three\"}],\"copies\":3,\"title\":5}\n")
  }

  @Test func `writes as one writer where it has a directory, and under a leased id where it has none`() async throws {
    let served = try await Served()
    for number in 1...3 {
      let outcome = try await served.starling(
        "set", "test", "count", "\(number)", "--directory", served.scratch.path + "/own")
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    #expect(try JSONValue(parsing: try await served.starling("status", "test", "--json").output)["writers"] == 1)
    for number in 4...6 {
      #expect(try await served.starling("set", "test", "count", "\(number)").status == 0)
    }
    #expect(try JSONValue(parsing: try await served.starling("status", "test", "--json").output)["writers"] == 2)
  }

  @Test func `refuses what is no JSON, with its place, and writes nothing`() async throws {
    let served = try await Served()
    try await served.fill()
    let outcome = try await served.starling("load", "test", input: "{\n  \"desk\": {\"title\": \"Emma\",}\n}\n")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("line 2, column 28 (byte 29)"), "\(outcome.errors)")
    #expect(try await served.starling("get", "test", "desk/title", "--raw").output == "Dune\n")
  }

  @Test func `tells the history, and that of one place`() async throws {
    let served = try await Served()
    try await served.fill()
    _ = try await served.starling("set", "test", "desk/copies", "4", "--message", "One more")
    let history = try await served.starling("history", "test")
    let lines = history.output.split(separator: "\n")
    #expect(lines.count == 2, "\(history.output)\(history.errors)")
    #expect(lines.first?.contains("\"One more\"  desk/copies") == true, "\(history.output)")
    #expect(lines.last?.contains("\"First edition\"") == true, "\(history.output)")
    let titles = try await served.starling("history", "test", "--path", "desk/title", "--json")
    let row = try JSONValue(parsing: titles.output)
    #expect(row["message"] == "First edition")
    #expect(try await served.starling("history", "test", "--path", "desk/nothing").output.isEmpty)
  }

  @Test func `feeds lines, says which are kept, and stops at one that is none`() async throws {
    let served = try await Served()
    let fed = try await served.starling("feed", "test", input: "a 1\nb {\"c\":[true]}\nd\ne 5\n")
    #expect(fed.status == 1)
    #expect(fed.output == "/a\n/b\n")
    #expect(fed.errors.contains("Line 3"), "\(fed.errors)")
    #expect(try await served.starling("get", "test", "--json").output == "{\"a\":1,\"b\":{\"c\":[true]}}\n")
  }

  @Test func `writes below an empty container what it says is kept`() async throws {
    let served = try await Served()
    #expect(try await served.starling("set", "test", "log", "[]").status == 0)
    #expect(try await served.starling("set", "test", "tags", "[]", "--as", "set").status == 0)
    let set = try await served.starling("set", "test", "log/-", "\"a\"")
    #expect(set.status == 0 && set.errors.contains("acknowledged by another member"), "\(set.errors)")
    let fed = try await served.starling("feed", "test", input: "m {}\nm/a 1\ntags/novel true\nlog/- \"b\"\n")
    #expect(fed.status == 0, "\(fed.errors)")
    #expect(fed.output == "/m\n/m/a\n/tags/novel\n/log/-\n")
    #expect(
      try await served.starling("get", "test", "--json").output
        == "{\"log\":[\"a\",\"b\"],\"m\":{\"a\":1},\"tags\":[\"novel\"]}\n")
  }

  @Test func `watches what others write until it is interrupted`() async throws {
    let served = try await Served()
    try await served.fill()
    let watch = Process()
    watch.executableURL = try Programs.url("starling")
    watch.arguments = ["watch", "test", "desk/title", "--json", "--sockets", served.scratch.path]
    let (output, errors) = (Pipe(), Pipe())
    watch.standardOutput = output
    watch.standardError = errors
    try watch.run()
    let greeting = String(decoding: await errors.fileHandleForReading.next(), as: UTF8.self)
    #expect(greeting.contains("watching 'test'"))
    _ = try await served.starling("set", "test", "desk/copies", "9")
    _ = try await served.starling("set", "test", "desk/title", "--string", "Emma")
    let row = try JSONValue(parsing: await output.fileHandleForReading.next())
    #expect(row["path"] == "/desk/title")
    #expect(row["from"] == "Dune")
    #expect(row["to"] == "Emma")
    watch.interrupt()
    watch.waitUntilExit()
    #expect(watch.terminationStatus == 0)
    #expect(watch.terminationReason == .exit)
  }

  @Test func `says who is there and what they have`() async throws {
    let served = try await Served()
    try await served.fill()
    let peers = try await served.starling("peers", "test")
    #expect(peers.output.contains("starlingd 0.2.0, relays, durable, at ipc://"), "\(peers.output)\(peers.errors)")
    #expect(peers.output.contains("as here"), "\(peers.output)")
    let documents = try JSONValue(parsing: try await served.starling("documents", "test", "--json").output)
    #expect(documents["document"] == "test")
    #expect(documents["isDiverged"] == false)
  }

  @Test func `forgets a document, here and at the daemon`() async throws {
    let served = try await Served()
    try await served.fill()
    let load = try await served.starling("load", "test", "--document", "drafts", input: "{\"a\": 1}")
    #expect(load.status == 0, "\(load.errors)")
    let forgotten = try await served.starling("forget", "test", "drafts")
    #expect(forgotten.status == 0, "\(forgotten.errors)")
    #expect(try await !served.starling("documents", "test").output.contains("drafts"))
    let again = try await served.starling("set", "test", "b", "1", "--document", "drafts")
    #expect(again.status == 1)
    let kept = try await served.starling("forget", "test", "test")
    #expect(kept.status == 1)
    #expect(kept.errors.contains("main document"), "\(kept.errors)")
    #expect(try await served.starling("get", "test", "desk/title", "--raw").output == "Dune\n")
  }

  @Test func `finds nothing wrong`() async throws {
    let served = try await Served()
    let outcome = try await served.starling("doctor", "test")
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.output.contains("Nothing is wrong."))
  }
}

@Suite(.serialized, .timeLimit(.minutes(10))) struct `The operator's command, alone,` {
  @Test func `writes nothing where nobody would have it`() async throws {
    let scratch = try Scratch()
    let outcome = try await Programs.run("starling", ["set", "test", "a", "1", "--sockets", scratch.path])
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("Nobody else is in 'test', so nothing was written."))
  }

  @Test func `finds that nobody is there, and sockets of processes that are gone`() async throws {
    let scratch = try Scratch()
    let daemon = try Running(
      "starlingd", ["--group", "test", "--directory", scratch.path + "/data", "--sockets", scratch.path])
    // It stops in the midst of its work, and its sockets stay.
    #expect(await Turns.pass { FileManager.default.fileExists(atPath: scratch.path + "/test/daemon.ask") })
    kill(daemon.process.processIdentifier, SIGKILL)
    _ = await daemon.outcome()
    let doctor = try await Programs.run("starling", ["doctor", "test", "--sockets", scratch.path, "--json"])
    #expect(doctor.status == 1)
    let findings = try JSONValue(parsing: doctor.output)["findings"]?.description ?? ""
    #expect(findings.contains("those of 'daemon'"), "\(findings)")
    #expect(findings.contains("nobody else is in it"), "\(findings)")
    let again = try await Programs.run("starling", ["doctor", "test", "--sockets", scratch.path, "--json"])
    #expect(!again.output.contains("those of 'daemon'"), "\(again.output)")
  }

  @Test func `finds a directory that others can enter, keys that expired, and an endpoint where nobody is`()
    async throws
  {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(
      atPath: scratch.path + "/test", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    let open = try await Programs.run("starling", ["doctor", "test", "--sockets", scratch.path])
    #expect(open.status == 1)
    #expect(open.output.contains("chmod 700"), "\(open.output)")
    let keys = KeyDirectory(scratch.path + "/keys")
    let own = try keys.makeKeys()
    try keys.authorize(AllowedKey(name: "ada", key: own, expires: Date(timeIntervalSince1970: 0)))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: keys.path + "/secret")
    let dialling = try await Programs.run(
      "starling", ["doctor", "test", "--keys", keys.path, "--connect", "tcp://127.0.0.1:9", "--timeout", "0.2"])
    #expect(dialling.status == 1)
    #expect(dialling.output.contains("the key of 'ada' expired"), "\(dialling.output)")
    #expect(dialling.output.contains("chmod 600"), "\(dialling.output)")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keys.path + "/secret")
    let nobody = try await Programs.run(
      "starling", ["doctor", "test", "--connect", "tcp://127.0.0.1:9", "--timeout", "0.2"])
    #expect(nobody.output.contains("tcp://127.0.0.1:9: nobody answered there"), "\(nobody.output)")
  }

  @Test func `finds a daemon that serves in another directory of sockets, and says nothing of one that is gone`()
    async throws
  {
    let scratch = try Scratch()
    let environment = ["XDG_RUNTIME_DIR": scratch.path]
    let daemon = try Running(
      "starlingd",
      ["--group", "test", "--directory", scratch.path + "/data", "--sockets", scratch.path + "/starling"])
    let socket = scratch.path + "/starling/test/daemon.ask"
    #expect(await Turns.pass { FileManager.default.fileExists(atPath: socket) })
    func doctor(in sockets: String) async throws -> Programs.Outcome {
      try await Programs.run(
        "starling", ["doctor", "test", "--sockets", sockets, "--timeout", "60"], environment: environment)
    }
    let split = try await doctor(in: scratch.path + "/other")
    #expect(split.status == 1)
    #expect(
      split.output.contains(
        "a daemon of 'test' serves in '\(scratch.path)/starling' and this command looks in '\(scratch.path)/other'"),
      "\(split.output)")
    #expect(split.output.contains("--sockets '\(scratch.path)/starling'"), "\(split.output)")
    // By another path to the same directory it is no other.
    try FileManager.default.createDirectory(
      atPath: scratch.path + "/up", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let same = try await doctor(in: scratch.path + "/up/../starling")
    #expect(!same.output.contains("never meet"), "\(same.output)")
    kill(daemon.process.processIdentifier, SIGKILL)
    _ = await daemon.outcome()
    let gone = try await doctor(in: scratch.path + "/other")
    #expect(!gone.output.contains("never meet"), "\(gone.output)")
  }

  @Test func `explains frames, and where one is broken`() async throws {
    let frame = try await Programs.run("starling", ["frames"], input: "0a\n02 07 6c69627261727900 00\n")
    #expect(frame.status == 0, "\(frame.errors)")
    #expect(frame.output.contains("goodbye: the sender leaves"), "\(frame.output)")
    #expect(frame.output.contains("document 'library'"), "\(frame.output)")
    let broken = try await Programs.run("starling", ["frames", "--as", "batch", "--json"], input: "010105000a0a")
    #expect(broken.status == 1)
    let error = try JSONValue(parsing: broken.output)["error"]
    #expect(error?["code"] == "truncated", "\(broken.output)")
    let odd = try await Programs.run("starling", ["frames"], input: "0a0\n")
    #expect(odd.status == 1)
    #expect(odd.errors.contains("Line 1"), "\(odd.errors)")
  }

  @Test func `has words for help, and completions that know the groups`() async throws {
    let help = try await Programs.run("starling", ["--help"])
    for name in [
      "status", "peers", "documents", "get", "set", "feed", "watch", "dump", "load", "history", "doctor", "frames",
      "keys",
    ] {
      #expect(help.output.contains("  \(name) "), "\(name) is not in: \(help.output)")
    }
    let script = try await Programs.run("starling", ["--generate-completion-script", "bash"])
    #expect(script.status == 0)
    #expect(script.output.contains("starling"))
  }
}
