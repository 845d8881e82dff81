import Dispatch
import Foundation
import Starling
import StarlingEngine
import Testing

@testable import UnixLink

@Replicated final class Page: Sendable {
  var title = ""
  var body = ""
  var visits: ReplicatedCounter = 0
}

@Suite(.timeLimit(.minutes(2))) struct `A replica over a link of one's own` {
  @Test func `sees what the other writes, both ways`() async throws {
    let place = try Place()
    let (here, there) = (try await place.open(listens: true), try await place.open(listens: false))
    let (ours, theirs) = (try here.page(), try there.page())
    ours.title = "written here"
    try await here.flush(until: .received(1))
    #expect(theirs.title == "written here")
    theirs.visits += 2
    try await there.flush(until: .received(1))
    #expect(ours.visits.value == 2)
    try await there.close()
    try await here.close()
  }

  @Test func `gets a text that no socket takes at once`() async throws {
    let place = try Place()
    let (here, there) = (try await place.open(listens: true), try await place.open(listens: false))
    let body = String(repeating: "a long text, ", count: 200_000)
    let (ours, theirs) = (try here.page(), try there.page())
    theirs.body = body
    try await there.flush(until: .received(1))
    #expect(ours.body == body)
    ours.body = "short"
    try await here.flush(until: .received(1))
    #expect(theirs.body == "short")
    try await there.close()
    try await here.close()
  }

  @Test func `catches up once the other listens again`() async throws {
    let place = try Place()
    let there = try await place.open(listens: false)
    let theirs = try there.page()
    theirs.title = "written while nobody listened"
    for turn in Int64(1)...2 {
      let here = try await place.open(listens: true)
      try await there.flush(until: .received(1))
      theirs.visits += turn
      try await there.flush(until: .received(1))
      #expect(try here.page().title == "written while nobody listened")
      #expect(try here.page().visits.value == turn * (turn + 1) / 2)
      try await here.close()
    }
    try await there.close()
  }

  @Test func `is told where a path cannot be listened at`() async throws {
    let place = try Place()
    let here = try await place.open(listens: true)
    await #expect(throws: LinkError.self) { _ = try await place.open(listens: true) }
    try await here.close()
  }
}

@Suite struct `A frame` {
  @Test func `is read whole, or not at all`() throws {
    let frames = [
      Frame(.direct, [1, 2, 3]), Frame(.subscribe, []), Frame(.published, Array(repeating: 9, count: 300)),
    ]
    let bytes = frames.flatMap(\.encoded)
    for end in 0...bytes.count {
      var rest = bytes[..<end]
      var read: [Frame] = []
      while let (frame, byteCount) = try Frame.first(in: rest) {
        read.append(frame)
        rest = rest.dropFirst(byteCount)
      }
      #expect(read == Array(frames.prefix(read.count)))
      #expect(end < bytes.count || read == frames)
    }
  }

  @Test func `of an unknown kind, or too long, is refused`() {
    #expect(throws: Frame.Malformed.self) { _ = try Frame.first(in: [9, 0, 0, 0, 0]) }
    #expect(throws: Frame.Malformed.self) { _ = try Frame.first(in: [0, 255, 255, 255, 255]) }
  }
}

@Suite(.timeLimit(.minutes(1))) struct `A connection` {
  @Test func `takes all that came before the other end closed it`() async throws {
    var ends: [Int32] = [0, 0]
    #if canImport(Darwin)
      try #require(socketpair(AF_UNIX, SOCK_STREAM, 0, &ends) == 0)
    #else
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    #endif
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    // More than one reading takes.
    let frames = [
      Frame(.direct, Array(repeating: 1, count: 60_000)), Frame(.direct, Array(repeating: 2, count: 60_000)),
    ]
    let bytes = frames.flatMap(\.encoded)
    try #require(UnixSocket.write(bytes, to: ends[0]) == bytes.count)
    UnixSocket.close(ends[0])

    let queue = DispatchQueue(label: "connection")
    let (events, told) = AsyncStream.makeStream(of: Int.self)
    let connection = Connection(
      ends[1], queue: queue, received: { told.yield($0.bytes.count) }, closed: { _ in told.finish() })
    #expect(await events.reduce(into: []) { $0.append($1) } == [60_000, 60_000])
    queue.async { connection.close() }
  }
}

/// A path of a test's own.
private struct Place {
  let path: String

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "unix-link-\(UInt32.random(in: 0...UInt32.max))")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    path = folder.appending(path: "s").path(percentEncoded: false)
  }

  func open(listens: Bool) async throws -> Replica {
    var configuration = EngineConfiguration()
    if !listens { configuration.discover = { [path] in [path] } }
    return try await Replica.open("pages", over: UnixLink(), at: listens ? [path] : [], configuration: configuration)
  }
}

extension Replica {
  fileprivate func page() throws -> Page { try model(Page.self, named: "page", isolation: nil) }
}
