import Foundation
import Starling
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite(.timeLimit(.minutes(10))) struct `A replica that nobody holds any more` {
  @Test func `goes on for the models that somebody holds`() async throws {
    let group = try Group()
    let there = try await group.open()
    let theirs = try there.model(Book.self, named: "front-desk", isolation: nil)
    let mine = try await model(of: try await group.open())

    mine.title = "Dune"
    #expect(await comes { theirs.title == "Dune" })
    theirs.copies += 2
    #expect(await comes { mine.copies == 2 })
    #expect(await there.synchronize(timeout: .seconds(60)))
    try await there.close()
  }

  @Test func `goes on for its presence`() async throws {
    let group = try Group()
    let there = try await group.open()
    var presence: Presence? = try await group.open().presence
    #expect(await comes { await there.status().peers.count == 1 })
    presence?[.place] = "the title"
    #expect(await comes { there.presence.others(.place).map(\.content) == ["the title"] })
    presence = nil
    #expect(await comes { await there.status().peers.isEmpty })
    try await there.close()
  }

  @Test func `leaves in good order with its last model`() async throws {
    let group = try Group()
    let there = try await group.open()
    let theirs = try there.model(Book.self, named: "front-desk", isolation: nil)
    var mine: Book? = try await model(of: try await group.open())
    mine?.title = "Dune"
    #expect(await comes { theirs.title == "Dune" })
    #expect(group.sockets.count == 2)

    mine?.title = "Dune Messiah"
    mine = nil
    #expect(await comes { await there.status().peers.isEmpty && group.sockets.count == 1 })
    // What was written last was said before the goodbye. A model shows it once it is delivered, a moment later.
    #expect(await comes { theirs.title == "Dune Messiah" })
    #expect(await there.synchronize(timeout: .seconds(60)), "others waited for one that had left")
    try await there.close()
  }

  @Test func `can be opened again from its directory at once, and goes on under its id`() async throws {
    let group = try Group()
    var writers: [ReplicaID] = []
    for round in 0..<3 {
      let replica = try await group.open("a")
      writers.append(replica.writer)
      let book = try replica.model(Book.self, named: "front-desk", isolation: nil)
      #expect(book.title == (round == 0 ? "A sample book" : "Title \(round - 1)"))
      book.title = "Title \(round)"
    }
    #expect(Set(writers).count == 1)
  }

  @Test func `releases everything once it was closed, whoever holds a model`() async throws {
    let group = try Group()
    var replica: Replica? = try await group.open()
    let book = try #require(replica).model(Book.self, named: "front-desk", isolation: nil)
    weak let engine = replica?.engine
    try await replica?.close()
    replica = nil
    #expect(await comes { engine == nil })
    book.title = "Dune"
    #expect(book.title == "Dune")
    #expect(group.sockets.isEmpty)
  }

  /// The model alone.
  private func model(of replica: Replica) async throws -> Book {
    try replica.model(Book.self, named: "front-desk", isolation: nil)
  }
}

@Suite(.timeLimit(.minutes(10))) struct `A socket whose process was killed` {
  @Test func `is not waited for by the others`() async throws {
    let group = try Group()
    let (here, there) = (try await group.open(), try await group.open())
    #expect(await here.synchronize(timeout: .seconds(60)))
    for suffix in ["ask", "pub"] { try leaveSocket(at: "\(group.path)/test/killed.\(suffix)") }
    #expect(await here.synchronize(timeout: .seconds(60)))
    #expect(await comes { group.sockets.count == 2 })
    try await here.close()
    try await there.close()
  }

  /// What a process leaves that could not remove its socket: a file on which nobody listens.
  private func leaveSocket(at path: String) throws {
    #if os(Linux)
      let kind = Int32(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let descriptor = socket(AF_UNIX, kind, 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    try #require(isBound)
  }
}

extension PresenceKey<String> {
  fileprivate static let place = PresenceKey("place")
}

extension Group {
  /// The names of those who can be dialled.
  fileprivate var sockets: Set<String> {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(path)/test")) ?? []
    return Set(files.filter { $0.hasSuffix(".ask") })
  }
}

/// Whether it comes about before it is clear that it never will.
private func comes(_ condition: () async throws -> Bool) async rethrows -> Bool {
  let deadline = ContinuousClock.now + .seconds(100)
  while ContinuousClock.now < deadline {
    if try await condition() { return true }
    await Task.yield()
  }
  return false
}
