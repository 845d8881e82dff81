import StarlingEngine
import StarlingZeroMQ
import Synchronization
import Testing

/// Counts without a lock of its own, so that two threads in it at once would be seen to lose some.
private actor Counter {
  private let link: ZeroMQLink
  nonisolated let unownedExecutor: UnownedSerialExecutor
  private(set) var value = 0
  private(set) var threads: Set<UInt> = []

  init(on link: ZeroMQLink) {
    self.link = link
    unownedExecutor = link.executor.asUnownedSerialExecutor()
  }

  func increment() {
    value += 1
    threads.insert(Portable.threadNumber())
  }

  func stop(_ link: ZeroMQLink) { link.stop(linger: .zero) }
}

@Suite struct `The link's thread` {
  @Test func `runs the jobs of the actors that live on it, and calls receive`() async throws {
    try await Party.with { party in
      let counter = Counter(on: party.link)
      for _ in 0..<100 { await counter.increment() }
      let own = await party.run { _ in Portable.threadNumber() }
      #expect(await counter.threads == [own])
      #expect(await counter.value == 100)
      try await party.untilNextBatch()
      // `Party.take` assumed its isolation: the thread is known outside of jobs too.
      #expect(await party.batchCount > 0)
    }
  }

  @Test func `runs jobs before the link is started`() async throws {
    let link = ZeroMQLink()
    let counter = Counter(on: link)
    await counter.increment()
    #expect(await counter.value == 1)
    link.stop(linger: .zero)
  }

  @Test func `is known by itself alone`() async throws {
    try await Party.with { party in
      #expect(await Task.detached { party.link.executor.isIsolatingCurrentContext() }.value == false)
      #expect(await party.run { $0.link.executor.isIsolatingCurrentContext() } == true)
    }
  }

  @Test func `is the only one that reaches the sockets`() async {
    await #expect(processExitsWith: .failure) { _ = try ZeroMQLink().bind("tcp://127.0.0.1:0") }
  }

  @Test func `runs what is enqueued after the end elsewhere, one job at a time`() async throws {
    let link = ZeroMQLink()
    let counter = Counter(on: link)
    await counter.increment()
    let own = await counter.threads
    await counter.stop(link)
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<1000 { await counter.increment() } }
      }
    }
    #expect(await counter.value == 8001)
    #expect(await counter.threads.count > own.count)
  }

  @Test func `loses no job while it ends`() async throws {
    for _ in 0..<50 {
      let link = ZeroMQLink()
      let counter = Counter(on: link)
      await withTaskGroup { group in
        for _ in 0..<4 {
          group.addTask { for _ in 0..<100 { await counter.increment() } }
        }
        group.addTask { link.stop(linger: .zero) }
      }
      #expect(await counter.value == 400)
    }
  }

  @Test func `goes on in an async function that stops the link halfway`() async throws {
    let party = Party()
    try await party.start()
    await party.stop()
    // What the link is asked for now has no effect, and harms nobody.
    await party.publish("nobody")
    await party.subscribe("aaaa")
    #expect(await !party.send("nobody", to: PeerHandle(rawValue: 1)))
    let error = await #expect(throws: LinkError.self) { try await party.connect(to: "tcp://127.0.0.1:7400") }
    #expect(error?.code == .misuse)
    await party.stop()
    party.link.wake()
    party.link.stop(linger: .zero)
  }

  @Test func `ends with a link that nobody stopped`() async throws {
    try await withScratchDirectory { directory in
      var party: Party? = Party()
      try await party!.start()
      _ = try await party!.bind("ipc://\(directory)/a")
      #expect(names(in: directory) == ["a.ask", "a.pub"])
      weak let link = party!.link
      party = nil
      let deadline = ContinuousClock.now + .seconds(300)
      while link != nil || !names(in: directory).isEmpty, .now < deadline { await Task.yield() }
      #expect(link == nil)
      #expect(names(in: directory).isEmpty)
    }
  }

  @Test func `starts once`() async throws {
    try await Party.with { party in
      let error = await #expect(throws: LinkError.self) { try await party.start() }
      #expect(error?.code == .misuse)
    }
    let link = ZeroMQLink()
    link.stop(linger: .zero)
    let error = #expect(throws: LinkError.self) { try link.start(tick: .seconds(1)) { _ in } }
    #expect(error?.code == .system)
  }
}

@Suite struct `Waking a link` {
  @Test func `makes one call of receive for many wakes`() async throws {
    try await Party.with(tick: .seconds(3600)) { party in
      let before = await party.batchCount
      // While this job runs the thread cannot answer.
      await party.run { party in
        for _ in 0..<1000 { party.link.wake() }
      }
      try await party.until("the call") { $0.batchCount > before }
      // A job that was enqueued later comes after any second call would have.
      await party.run { _ in }
      await party.run { _ in }
      #expect(await party.batchCount == before + 1)
    }
  }

  @Test func `is never lost`() async throws {
    let answers = Atomic(0)
    let link = ZeroMQLink()
    let (calls, continuation) = AsyncStream.makeStream(of: Void.self)
    try link.start(tick: .seconds(3600)) { events in
      #expect(events.isEmpty)
      continuation.yield()
    }
    var iterator = calls.makeAsyncIterator()
    for _ in 0..<2000 {
      link.wake()
      _ = await iterator.next()
      answers.wrappingAdd(1, ordering: .relaxed)
    }
    #expect(answers.load(ordering: .relaxed) == 2000)
    link.stop(linger: .zero)
  }

  @Test func `is never lost by a caller that wakes without a pause`() async throws {
    let wakes = Atomic(0)
    let seen = Atomic(0)
    let link = ZeroMQLink()
    let (calls, continuation) = AsyncStream.makeStream(of: Int.self)
    try link.start(tick: .seconds(3600)) { _ in
      let count = wakes.load(ordering: .acquiring)
      if count > seen.exchange(count, ordering: .relaxed) { continuation.yield(count) }
    }
    for _ in 0..<20_000 {
      wakes.wrappingAdd(1, ordering: .releasing)
      link.wake()
    }
    for await count in calls where count == 20_000 { break }
    link.stop(linger: .zero)
  }

  @Test func `happens by itself every tick`() async throws {
    try await Party.with(tick: .milliseconds(5)) { party in
      try await party.until("some ticks") { $0.batchCount >= 5 }
    }
  }

  @Test func `happens as often as the link was told last`() async throws {
    try await Party.with(tick: .seconds(3600)) { party in
      party.link.wake()
      try await party.untilNextBatch()
      await party.setTick(.milliseconds(5))
      try await party.until("some ticks") { $0.batchCount >= 6 }
    }
  }
}
