#if NATS
  import Foundation
  import StarlingEngine
  import StarlingLogTestSupport
  import StarlingNATS
  import Testing

  /// The sample of Documentation/Scaling.md, so that it compiles. The lines between the rules are the page's.
  private enum ScalingSample {
    // ----
    static func openLibrary(at servers: [String]) async throws -> ReplicaEngine {
      let log = try JetStreamLog(servers: servers, name: "library", replicas: 3)
      let link = try NATSLink(servers: servers, group: "library")
      var configuration = EngineConfiguration()
      configuration.discover = { [weak link] in link?.endpoints() }
      let engine = ReplicaEngine(link: link, log: log, configuration: configuration)
      try await engine.start()  // displaces whoever holds the log
      try await engine.bind("nats:library")
      return engine
    }
    // ----
  }

  @Suite(.timeLimit(.minutes(10))) struct `The page about scaling` {
    @Test func `shows the sample that compiles here`() throws {
      let here = URL(filePath: #filePath)
      let page = try String(
        contentsOf: here.deletingLastPathComponent().appending(path: "../../Documentation/Scaling.md"),
        encoding: .utf8)
      let shown = try #require(page.split(separator: "```swift\n").dropFirst().first?.split(separator: "```").first)
      let source = try String(contentsOf: here, encoding: .utf8).split(separator: "// ----")
      let compiled = "import StarlingEngine\nimport StarlingNATS\n" + source[1].replacing("static func", with: "func")
      #expect(Self.lines(of: String(shown)) == Self.lines(of: compiled))
    }

    @Test func `shows a sample that says what is missing where there is one server for three replicas`() async throws {
      let server = try await Server(Server.jetStream)
      let error = await expectError(.unwritable) { _ = try await ScalingSample.openLibrary(at: [server.url]) }
      #expect(error?.message.contains("as many replicas as were asked for") == true)
    }

    private static func lines(of text: String) -> [String] {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
  }
#endif
