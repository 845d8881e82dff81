import Foundation
import StarlingTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(10))) struct `A daemon that is operated` {
  /// A daemon that runs, and what it says, line by line.
  private struct Operated: ~Copyable {
    let process = Process()
    let output = Pipe()
    let errors = Pipe()

    init(_ arguments: [String], _ environment: [String: String] = [:]) throws {
      process.executableURL = try Programs.url("starlingd")
      process.arguments = arguments
      let own = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("STARLING_") }
      process.environment = own.merging(environment) { $1 }
      process.standardOutput = output
      process.standardError = errors
      try process.run()
    }

    deinit {
      process.terminate()
      process.waitUntilExit()
    }

    /// What it says once it serves.
    func serving() async -> String { String(decoding: await output.fileHandleForReading.next(), as: UTF8.self) }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Reads its log until a line holds `text`.
    func logged(_ text: String) async throws -> String {
      var log = ""
      while case let data = await errors.fileHandleForReading.next(), !data.isEmpty {
        log += String(decoding: data, as: UTF8.self)
        if let line = log.split(separator: "\n").first(where: { $0.contains(text) }) { return String(line) }
      }
      throw Unsaid(log: log, text: text)
    }

    struct Unsaid: Error {
      let log: String
      let text: String
    }
  }

  private func file(_ text: String, in scratch: borrowing Scratch) throws -> String {
    let path = scratch.path + "/starlingd.json"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  private func arguments(_ scratch: borrowing Scratch, _ more: [String] = []) -> [String] {
    ["--directory", scratch.path + "/data", "--sockets", scratch.path] + more
  }

  // MARK: Settings

  @Test(arguments: [
    ([], [:], "'from-file'"), ([], ["STARLING_GROUP": "from-environment"], "'from-environment'"),
    (["--group", "from-line"], ["STARLING_GROUP": "from-environment"], "'from-line'"),
  ])
  func `takes what is said first: on the command line, in the environment, in the file`(
    more: [String], environment: [String: String], group: String
  ) async throws {
    let scratch = try Scratch()
    let file = try file(#"{"group": "from-file", "metrics": "127.0.0.1:0"}"#, in: scratch)
    let daemon = try Operated(
      arguments(scratch, more), environment.merging(["STARLING_CONFIG": file]) { $1 })
    let line = await daemon.serving()
    #expect(line.contains("serves \(group)"), "\(line)")
    #expect(line.contains("its numbers at"), "\(line)")
  }

  @Test(arguments: [
    (#"{"grop": "x"}"#, "'grop'"), (#"{"group": 3}"#, "'group' to 3"), (#"{"listen": [1]}"#, "'listen'"),
    (#"{"max-documents": "many"}"#, "whole number"), (#"{"no-gossip": 1}"#, "true or false"), ("[1]", "JSON object"),
    (#"{"group": "x","#, "line 1, column 15"), (#"{"accept-damage": true}"#, "'accept-damage'"),
  ])
  func `names the setting of a file that cannot be`(text: String, named: String) async throws {
    let scratch = try Scratch()
    let file = try file(text, in: scratch)
    let outcome = try await Programs.run("starlingd", arguments(scratch, ["--group", "test", "--config", file]))
    #expect(outcome.status == 78)
    #expect(outcome.errors.contains(named) && outcome.errors.contains(file), "\(outcome.errors)")
  }

  @Test func `names the variable that cannot be, and a file that is missing`() async throws {
    let scratch = try Scratch()
    let missing = try await Programs.run("starlingd", arguments(scratch, ["--config", scratch.path + "/none"]))
    #expect(missing.status == 78)
    #expect(missing.errors.contains(scratch.path + "/none"))
    let folder = try await Programs.run("starlingd", arguments(scratch, ["--config", scratch.path]))
    #expect(folder.status == 78)
    #expect(folder.errors.contains("is a directory"), "\(folder.errors)")
    let daemon = try Operated(arguments(scratch, ["--group", "test"]), ["STARLING_MAX_DOCUMENTS": "many"])
    let line = try await daemon.logged("many")
    #expect(line.contains("STARLING_MAX_DOCUMENTS"))
    daemon.process.waitUntilExit()
    #expect(daemon.process.terminationStatus == 78)
  }

  // MARK: Signals

  @Test func `takes the log's level from the file again on SIGHUP, and keeps it where the file is wrong`() async throws
  {
    let scratch = try Scratch()
    let path = try file(#"{"log-level": "notice"}"#, in: scratch)
    let daemon = try Operated(arguments(scratch, ["--group", "test", "--config", path]))
    _ = await daemon.serving()
    _ = try file(#"{"log-level": "debug"}"#, in: scratch)
    daemon.signal(SIGHUP)
    #expect(try await daemon.logged("reloaded").contains("debug"))
    _ = try file(#"{"log-level": "loud"}"#, in: scratch)
    daemon.signal(SIGHUP)
    #expect(try await daemon.logged("Not reloaded").contains("'loud'"))
    #expect(daemon.process.isRunning)
  }

  @Test func `answers what it is asked before it serves`() async throws {
    let scratch = try Scratch()
    let path = scratch.path + "/starlingd.json"
    try #require(mkfifo(path, 0o600) == 0)
    let daemon = try Operated(arguments(scratch, ["--group", "test", "--config", path]))
    // It opens once the daemon does, which waits then for what is written.
    let pipe = try #require(FileHandle(forWritingAtPath: path))
    // So that writing fails no worse than the daemon does.
    let reader = try #require(FileHandle(forReadingAtPath: path))
    _ = try file(#"{"log-level": "notice"}"#, in: scratch)
    daemon.signal(SIGUSR1)
    daemon.signal(SIGHUP)
    try pipe.write(contentsOf: Data(#"{"log-level": "warning"}"#.utf8))
    try pipe.close()
    try reader.close()
    var said = ""
    while !said.contains("serves 'test'") || !said.contains("\"digest\"") {
      let more = await daemon.serving()
      try #require(!more.isEmpty, "It said: \(said)")
      said += more
    }
    #expect(try await daemon.logged("reloaded").contains("notice"))
  }

  @Test func `reads a pipe once, and does not wait for another writer`() async throws {
    let scratch = try Scratch()
    let path = scratch.path + "/starlingd.json"
    try #require(mkfifo(path, 0o600) == 0)
    let daemon = try Operated(arguments(scratch, ["--group", "test", "--config", path]))
    let pipe = try #require(FileHandle(forWritingAtPath: path))
    try pipe.write(contentsOf: Data(#"{"log-level": "notice"}"#.utf8))
    try pipe.close()
    _ = await daemon.serving()
    daemon.signal(SIGHUP)
    #expect(try await daemon.logged("Not reloaded").contains("no regular file"))
    daemon.process.terminate()
    daemon.process.waitUntilExit()
    #expect(daemon.process.terminationReason == .exit && daemon.process.terminationStatus == 0)
  }

  @Test func `continues where nobody reads what it prints`() async throws {
    let scratch = try Scratch()
    let daemon = try Operated(arguments(scratch, ["--group", "test"]))
    _ = await daemon.serving()
    try daemon.output.fileHandleForReading.close()
    try daemon.errors.fileHandleForReading.close()
    for _ in 0..<3 { daemon.signal(SIGUSR1) }
    let outcome = try await Programs.run("starling", ["status", "test", "--sockets", scratch.path])
    #expect(outcome.status == 0, "\(outcome.errors)")
    daemon.process.terminate()
    daemon.process.waitUntilExit()
    #expect(daemon.process.terminationReason == .exit && daemon.process.terminationStatus == 0)
  }

  // MARK: How it is

  @Test func `logs a JSON object a line where that is asked for`() async throws {
    let scratch = try Scratch()
    let daemon = try Operated(
      arguments(scratch, ["--group", "test", "--log-format", "json", "--listen", "tcp://127.0.0.1:0"]))
    let line = try await daemon.logged("listening at")
    let said = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String], "\(line)")
    #expect(said["level"] == "info" && said["label"] == "starlingd" && said["time"]?.isEmpty == false, "\(line)")
    // What ends it too.
    let outcome = try await Programs.run(
      "starlingd", ["--group", "test", "--directory", "/dev/null/x", "--log-format", "json", "--no-sockets"])
    #expect(outcome.status == 1)
    let last = try JSONSerialization.jsonObject(with: Data(outcome.errors.utf8)) as? [String: String]
    #expect(last?["level"] == "critical", "\(outcome.errors)")
  }

  @Test func `says apart whether it lives and whether it is ready`() async throws {
    let scratch = try Scratch()
    let daemon = try Operated(arguments(scratch, ["--group", "test", "--metrics", "127.0.0.1:0"]))
    let line = await daemon.serving()
    let text = line.split(separator: " ").last.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
    let base = try #require(text.flatMap { URL(string: $0) }, "It said: \(line)").deletingLastPathComponent()
    for (path, answer) in [("healthz", "ok\n"), ("readyz", "ready\n")] {
      let (data, response) = try await URLSession.shared.data(from: base.appending(path: path))
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
      #expect(String(decoding: data, as: UTF8.self) == answer)
    }
  }

  #if os(Linux)
    @Test(arguments: [false, true])
    func `tells systemd that it is ready, that it works, and that it ends`(isAbstract: Bool) async throws {
      let scratch = try Scratch()
      let name = (isAbstract ? "@" : "") + scratch.path + "/notify"
      let systemd = try NotifySocket(name)
      let daemon = try Operated(
        arguments(scratch, ["--group", "test"]), ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "300000"])
      _ = await daemon.serving()
      let ready = await systemd.next()
      #expect(ready.hasPrefix("READY=1\nSTATUS=starlingd serves 'test'"), "\(ready)")
      for _ in 0..<3 { #expect(await systemd.next() == "WATCHDOG=1") }
      daemon.process.terminate()
      var last = "WATCHDOG=1"
      while last == "WATCHDOG=1" { last = await systemd.next() }
      #expect(last == "STOPPING=1")
      daemon.process.waitUntilExit()
      #expect(daemon.process.terminationStatus == 0)
    }
  #endif
}

#if os(Linux)
  /// The socket on which systemd listens.
  private struct NotifySocket: ~Copyable {
    private let descriptor: Int32

    init(_ name: String) throws {
      #if canImport(Glibc)
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      #else
        descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
      #endif
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      var bytes = Array(name.utf8)
      if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
      try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let byteCount = MemoryLayout.offset(of: \sockaddr_un.sun_path)! + bytes.count
      let bound = withUnsafeBytes(of: &address) {
        bind(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(byteCount))
      }
      // A daemon that has ended says nothing more.
      var patience = timeval(tv_sec: 60, tv_usec: 0)
      let isBounded = setsockopt(
        descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout.size(ofValue: patience)))
      try #require(bound == 0 && isBounded == 0)
    }

    deinit { close(descriptor) }

    /// The next message, once it is there; an empty one where none comes for a minute.
    func next() async -> String {
      let descriptor = descriptor
      return await withCheckedContinuation { continuation in
        Thread.detachNewThread {
          var bytes = [UInt8](repeating: 0, count: 4096)
          let count = recv(descriptor, &bytes, bytes.count, 0)
          continuation.resume(returning: String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
        }
      }
    }
  }
#endif
