import Logging
import Starling
import StarlingReplica
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A replica without models` {
  @Test func `keeps what replicas with models write, under the same id after a restart`() async throws {
    let group = try Group()
    var options = Replica.Options()
    options.socketDirectory = group.path
    options.logger.logLevel = .critical
    options.isDaemon = true
    let daemon = try await BareReplica.open("test", in: "\(group.path)/daemon", options: options)
    let writer = daemon.writer

    let ada = try await group.open()
    try ada.model(Book.self, named: "front-desk", isolation: nil).title = "Dune"
    try await ada.flush(until: .replicated(1))
    #expect(daemon.version == ada.version)
    #expect(daemon.digest == ada.digest)
    try await ada.close()
    try await daemon.close()

    let restarted = try await BareReplica.open("test", in: "\(group.path)/daemon", options: options)
    #expect(restarted.writer == writer)
    let ben = try await group.open()
    #expect(await ben.synchronize(timeout: .seconds(60)))
    #expect(try ben.model(Book.self, named: "front-desk", isolation: nil).title == "Dune")
    try await ben.close()
    try await restarted.close()
  }
}
