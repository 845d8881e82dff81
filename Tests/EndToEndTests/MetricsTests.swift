import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.serialized, .timeLimit(.minutes(10))) struct `The numbers of a daemon` {
  private func arguments(_ scratch: borrowing Scratch, _ more: [String]) -> [String] {
    ["--group", "test", "--directory", scratch.path + "/data", "--sockets", scratch.path] + more
  }

  @Test func `are shown to a collector that asks for them, in the format that it reads`() async throws {
    let shown = try await Served(["--metrics", "127.0.0.1:0"])
    let numbers = try shown.numbers()
    let (data, response) = try await URLSession.shared.data(from: numbers)
    let answer = try #require(response as? HTTPURLResponse)
    #expect(answer.statusCode == 200)
    #expect(answer.value(forHTTPHeaderField: "Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.last == "", "The last line is ended.")
    for line in lines.dropLast() {
      #expect(
        line.hasPrefix("# HELP starling_") || line.hasPrefix("# TYPE starling_")
          || line.hasPrefix("starling_") && Double(line.split(separator: " ").last ?? "") != nil, "\(line)")
    }
    #expect(lines.contains("# TYPE starling_commit_seconds histogram"))
    #expect(lines.contains("starling_documents_open 1"))
    // What it does shows.
    let outcome = try await Programs.run(
      "starling", ["load", "test", "--sockets", shown.scratch.path], input: #"{"desk": {"title": "Dune"}}"#)
    #expect(outcome.status == 0, "It said: \(outcome.errors)")
    // The text is made once a second, however often it is asked for.
    let deadline = ContinuousClock.now + .seconds(100)
    var after = ""
    while !after.contains("\nstarling_changes_merged_total 1\n"), ContinuousClock.now < deadline {
      after = String(decoding: try await URLSession.shared.data(from: numbers).0, as: UTF8.self)
    }
    #expect(after.contains("\nstarling_changes_merged_total 1\n"))
  }

  @Test func `come with a word on how it is, and nothing else`() async throws {
    let shown = try await Served(["--metrics", "127.0.0.1:0"])
    let numbers = try shown.numbers()
    let base = numbers.deletingLastPathComponent()
    let (data, response) = try await URLSession.shared.data(from: base.appending(path: "healthz"))
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    #expect(String(decoding: data, as: UTF8.self) == "ok\n")
    for path in ["", "metrics/x", "data/starling.sqlite", "../etc/passwd"] {
      let (_, response) = try await URLSession.shared.data(from: base.appending(path: path))
      #expect((response as? HTTPURLResponse)?.statusCode == 404, "\(path)")
    }
  }

  @Test func `are no way to end it for a client that hangs up at once`() async throws {
    let shown = try await Served(["--metrics", "127.0.0.1:0"])
    let numbers = try shown.numbers()
    // Not by URLSession: cancelled as it begins, it may end the process that asks.
    for _ in 0..<20 { try askAndHangUp(at: try #require(numbers.port)) }
    let (_, response) = try await URLSession.shared.data(from: numbers)
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    #expect(shown.daemon.isRunning)
  }

  private func askAndHangUp(at port: Int) throws {
    #if canImport(Glibc)
      let stream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let stream = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    defer { close(stream) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    let connected = withUnsafeBytes(of: &address) {
      connect(stream, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
    }
    try #require(connected == 0)
    let request = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    #expect(write(stream, request, request.utf8.count) == request.utf8.count)
  }

  @Test func `are gone when it is told to stop, and it ends at once`() async throws {
    let shown = try await Served(["--metrics", "127.0.0.1:0"])
    shown.daemon.terminate()
    shown.daemon.waitUntilExit()
    #expect(shown.daemon.terminationStatus == 0)
  }

  @Test(arguments: [
    ("0.0.0.0:9464", Int32(64), "loopback"), ("192.0.2.7:9464", 64, "loopback"), ("9464", 64, "127.0.0.1:9464"),
    ("localhost:9464", 64, "127.0.0.1:9464"), ("127.0.0.1:99999", 64, "127.0.0.1:9464"),
  ])
  func `are not shown beyond loopback, nor where no address is`(address: String, status: Int32, word: String)
    async throws
  {
    let scratch = try Scratch()
    let outcome = try await Programs.run("starlingd", arguments(scratch, ["--metrics", address]))
    #expect(outcome.status == status)
    #expect(outcome.errors.contains(word), "It said: \(outcome.errors)")
  }

  @Test func `are not shown where somebody else listens, and it says so`() async throws {
    let shown = try await Served(["--metrics", "127.0.0.1:0"])
    let numbers = try shown.numbers()
    let other = try Scratch()
    let port = try #require(numbers.port)
    let outcome = try await Programs.run("starlingd", arguments(other, ["--metrics", "127.0.0.1:\(port)"]))
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("\(port)"), "It said: \(outcome.errors)")
    let json = ["--metrics", "127.0.0.1:\(port)", "--log-format", "json"]
    let line = try await Programs.run("starlingd", arguments(other, json)).errors
    #expect(line.hasPrefix("{") && line.contains("\(port)"), "It said: \(line)")
  }
}

@Suite(.serialized, .timeLimit(.minutes(10))) struct `The audit log of a daemon` {
  @Test func `says who came with a key that it does not know`() async throws {
    let scratch = try Scratch()
    let (keys, own, audit) = (scratch.path + "/keys", scratch.path + "/own", scratch.path + "/audit")
    for directory in [keys, own] {
      let made = try await Programs.run("starling", ["keys", "new", "--directory", directory])
      #expect(made.status == 0, "It said: \(made.errors)")
    }
    let served = try await Served(["--no-sockets", "--keys", keys, "--audit", audit, "--listen", "tcp://127.0.0.1:0"])
    let endpoint = try #require(served.announcement.split(separator: " ").last { $0.hasPrefix("tcp:") })
    let outcome = try await Programs.run(
      "starling",
      [
        "get", "test", "--connect", endpoint.trimmingCharacters(in: .whitespacesAndNewlines), "--keys", own,
        "--timeout", "2",
      ])
    #expect(outcome.status != 0)
    let key = try String(contentsOfFile: own + "/public", encoding: .utf8).trimmingCharacters(in: .newlines)
    let text = try String(contentsOfFile: audit, encoding: .utf8)
    let refusal = try #require(text.split(separator: "\n").first { $0.contains("notAdmitted") }, "It says: \(text)")
    #expect(refusal.contains("\"\(key)\"") && refusal.contains("\"127.0.0.1\""), "It says: \(refusal)")
  }
}

extension Served {
  /// Where it shows its numbers, the last word of what it said.
  fileprivate func numbers() throws -> URL {
    let word = announcement.split(whereSeparator: \.isWhitespace).last
    return try #require(word.flatMap { URL(string: String($0)) }, "It said: \(announcement)")
  }
}
