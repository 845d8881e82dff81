import Foundation
import Starling
import Synchronization
import Testing

/// Counts runs of an observer, and lets a test wait for one.
private final class Runs: Sendable {
  let count = Atomic(0)
  let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (stream, continuation) = AsyncStream.makeStream()
  }

  func add() {
    count.add(1, ordering: .sequentiallyConsistent)
    continuation.yield()
  }

  var value: Int { count.load(ordering: .sequentiallyConsistent) }

  /// Returns at the next run that was not waited for yet.
  func next() async {
    var iterator = stream.makeAsyncIterator()
    await iterator.next()
  }
}

@Suite(.timeLimit(.minutes(10))) struct `A remote write` {
  @Test func `wakes the readers of that property alone`() async throws {
    let group = try Group()
    let here = try await group.open()
    let there = try await group.open()
    await here.synchronize()
    await there.synchronize()
    let written = try here.model(Book.self, named: "front-desk", isolation: nil)
    let read = try there.model(Book.self, named: "front-desk", isolation: nil)
    let (titles, others) = (Runs(), Runs())
    let observing = [
      observe {
        _ = read.title
        titles.add()
      },
      observe {
        _ = read.isAvailable
        _ = read.copies
        _ = read.tags
        others.add()
      },
    ]
    await titles.next()
    await others.next()
    written.title = "Dune"
    await titles.next()
    #expect(read.title == "Dune")
    // A write of another property afterwards: when its reader has run, everything before it has been delivered.
    written.copies += 1
    await others.next()
    #expect(titles.value == 2)
    #expect(others.value == 2)
    _ = observing
    try await here.close()
    try await there.close()
  }

  @Test func `of a key reaches the standard library's Observations`() async throws {
    let group = try Group()
    let (here, there) = (try await group.open(), try await group.open())
    let written = try here.model(Flags.self, named: "flags", isolation: nil)
    let read = try there.model(Flags.self, named: "flags", isolation: nil)
    var states = Observations { read.enabled.keys.filter { read.enabled[$0] == true } }.makeAsyncIterator()
    #expect(await states.next() == [])
    written.enabled["dark-mode"] = true
    #expect(await states.next() == ["dark-mode"])
    written.enabled["dark-mode"] = false
    #expect(await states.next() == [])
    try await here.close()
    try await there.close()
  }

  @Test func `sends no frame when it is equal`() async throws {
    let group = try Group()
    let (replica, other) = (try await group.open(), try await group.open())
    let read = try other.model(Book.self, named: "front-desk", isolation: nil)
    let book = try replica.model(Book.self, named: "front-desk", isolation: nil)
    book.title = "Dune"
    book.tags = ["novel"]
    try await replica.flush(until: .received(1))
    #expect(read.title == "Dune")
    book.copies = 7
    try await replica.flush(until: .received(1))
    let frames = await replica.status().counters.framesPublished
    #expect(frames > 0)
    for _ in 0..<1000 {
      book.title = "Dune"
      book.isAvailable = true
      book.tags.insert("novel")
      book.copies += 0
    }
    try await replica.flush(until: .sent)
    #expect(await replica.status().counters.framesPublished == frames)
    try await replica.close()
    try await other.close()
  }
}

@Suite(.timeLimit(.minutes(10))) struct `A replica in a directory` {
  @Test func `knows what it knew, and goes on under its id after a clean close`() async throws {
    let group = try Group()
    let first = try await group.open("a")
    let writer = first.writer
    let book = try first.model(Book.self, named: "front-desk", isolation: nil)
    book.title = "Dune"
    book.copies += 3
    try await first.close()

    let second = try await group.open("a")
    #expect(second.writer == writer)
    let again = try second.model(Book.self, named: "front-desk", isolation: nil)
    #expect(again.title == "Dune")
    #expect(again.copies == 3)
    try await second.close()
  }

  @Test func `refuses a second owner and names the first`() async throws {
    let group = try Group()
    let first = try await group.open("a")
    let path = group.path
    await #expect {
      _ = try await group.open("a")
    } throws: { error in
      guard let error = error as? LogError else { return false }
      return error.code == .busy && "\(error)".contains("\(ProcessInfo.processInfo.processIdentifier)")
        && "\(error)".contains(path)
    }
    try await first.close()
  }

  @Test func `says that its file is corrupt and leaves it alone`() async throws {
    let group = try Group()
    let directory = group.path + "/a"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let garbage = Data("This is not a database, and was never one.".utf8)
    try garbage.write(to: URL(filePath: directory + "/starling.sqlite"))
    await #expect {
      _ = try await group.open("a")
    } throws: { error in
      (error as? LogError)?.code == .corrupt && "\(error)".contains(directory)
    }
    #expect(try Data(contentsOf: URL(filePath: directory + "/starling.sqlite")) == garbage)
  }
}

@Suite(.timeLimit(.minutes(10))) struct `A group` {
  @Test(arguments: [false, true]) func `ends equal, with a daemon or without`(hasDaemon: Bool) async throws {
    let group = try Group()
    let daemon = hasDaemon ? try await group.open("daemon") { $0.isDaemon = true } : nil
    var replicas: [Replica] = []
    for _ in 0..<3 { replicas.append(try await group.open()) }
    for (index, replica) in replicas.enumerated() {
      let book = try replica.model(Book.self, named: "front-desk", isolation: nil)
      book.title = "Title \(index)"
      book.copies += 1
      book.tags.insert("tag \(index)")
    }
    for replica in replicas { try await replica.flush(until: .received(hasDaemon ? 1 : 2)) }
    try await Self.untilEqual(replicas)
    for replica in replicas {
      let book = try replica.model(Book.self, named: "front-desk", isolation: nil)
      #expect(book.copies == 3)
      #expect(book.tags == ["tag 0", "tag 1", "tag 2"])
      #expect(book.title == (try replicas[0].model(Book.self, named: "front-desk", isolation: nil).title))
    }
    #expect(Set(replicas.map(\.digest)).count == 1)
    for replica in replicas { try await replica.close() }
    try await daemon?.close()
  }

  @Test func `reaches across TCP on the loopback through a daemon`() async throws {
    let group = try Group()
    let daemon = try await group.open("daemon") {
      $0.isDaemon = true
      $0.joinsThisMachine = false
      $0.listen = ["tcp://127.0.0.1:0"]
    }
    let endpoint = try #require(await daemon.status().endpoints.first)
    func client() async throws -> Replica {
      try await group.open {
        $0.joinsThisMachine = false
        $0.connect = [endpoint]
      }
    }
    let (first, second) = (try await client(), try await client())
    let book = try first.model(Book.self, named: "front-desk", isolation: nil)
    book.title = "Dune"
    try await first.flush(until: .received(1))
    try await Self.untilEqual([first, second])
    #expect(try second.model(Book.self, named: "front-desk", isolation: nil).title == "Dune")
    try await first.close()
    try await second.close()
    try await daemon.close()
  }

  @Test func `catches up with what was written while one was offline`() async throws {
    let group = try Group()
    let (first, second) = (try await group.open(), try await group.open())
    let (here, there) = (
      try first.model(Book.self, named: "front-desk", isolation: nil),
      try second.model(Book.self, named: "front-desk", isolation: nil)
    )
    here.title = "Dune"
    try await first.flush(until: .received(1))
    await second.setOnline(false)
    here.title = "Dune Messiah"
    there.title = "Children of Dune"
    await second.setOnline(true)
    try await Self.untilEqual([first, second])
    #expect(here.title == there.title)
    #expect(here.conflicts(of: \.title).count == 2)
    #expect(there.conflicts(of: \.title).count == 2)
    try await first.close()
    try await second.close()
  }

  /// Returns when all have merged what any of them has, which the suite's time limit bounds.
  static func untilEqual(_ replicas: [Replica]) async throws {
    while Set(replicas.map(\.version)).count > 1 {
      for replica in replicas { await replica.synchronize(timeout: .milliseconds(100)) }
      await Task.yield()
    }
  }
}
