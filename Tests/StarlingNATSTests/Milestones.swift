#if NATS
  /// How far something came, for a test that does something else once it has come so far.
  struct Milestones: Sendable {
    private let counts: AsyncStream<Int>
    private let counting: AsyncStream<Int>.Continuation

    init() {
      (counts, counting) = AsyncStream.makeStream(of: Int.self)
    }

    func reached(_ count: Int) { counting.yield(count) }
    func end() { counting.finish() }

    /// Calls `body` once each of these counts is passed, in their order; counting continues.
    func each(of milestones: [Int], _ body: () async throws -> Void) async throws {
      var rest = milestones[...]
      for await count in counts {
        guard let next = rest.first, count >= next else { continue }
        rest.removeFirst()
        try await body()
      }
    }
  }
#endif
