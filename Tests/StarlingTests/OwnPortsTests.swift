import Logging
import Starling
import StarlingEngine
import StarlingZeroMQ
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A replica over a link and a log of one's own` {
  private var quiet: Logger {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return logger
  }

  @Test func `has models, is dialled where it says, and finds again what its log holds`() async throws {
    let group = try Group()
    let endpoint = "ipc://\(group.path)/here"
    let log = MemoryLog()
    let here = try await Replica.open("test", over: ZeroMQLink(), log: log, at: [endpoint], logger: quiet)
    var configuration = EngineConfiguration()
    configuration.discover = { [endpoint] }
    let there = try await Replica.open("test", over: ZeroMQLink(), configuration: configuration, logger: quiet)
    let book = try here.model(Book.self, named: "front-desk", isolation: nil)
    book.title = "Emma"
    try await here.flush(until: .received(1))
    book.title = "Dune"
    try await here.flush(until: .received(1))
    #expect(try there.model(Book.self, named: "front-desk", isolation: nil).title == "Dune")
    #expect(await here.measure().link?.framesPublished ?? 0 > 0)
    try await there.close()
    try await here.close()
    let again = try await Replica.open("test", over: ZeroMQLink(), log: log, logger: quiet)
    #expect(try again.model(Book.self, named: "front-desk", isolation: nil).title == "Dune")
    try await again.close()
  }

  @Test func `is not opened where the link cannot be dialled as it was told, and says why`() async throws {
    await #expect(throws: LinkError.self) {
      _ = try await Replica.open("test", over: ZeroMQLink(), at: ["ipc://not/absolute"], logger: quiet)
    }
  }
}
