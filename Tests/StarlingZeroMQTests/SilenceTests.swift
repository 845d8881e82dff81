#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import StarlingEngine
import StarlingZeroMQ
import Testing

@Suite struct `A dialled peer that says nothing` {
  private static func limits(answer: Duration) -> ZeroMQLink.Limits {
    var limits = ZeroMQLink.Limits()
    limits.silence = .milliseconds(150)
    limits.answer = answer
    return limits
  }

  /// Enough for a handshake on a machine that has much else to do.
  private static let answering = limits(answer: .seconds(100))

  @Test(arguments: 0..<2) func `is asked whether it is there, and stays where it is`(transport: Int) async throws {
    try await withScratchDirectory { directory in
      try await Pair.with(endpoints(in: directory)[transport], limits: Self.answering) { pair in
        // The second one shows that the first was answered.
        try await pair.dialler.until("questions") { $0.link.counters.silencesAsked >= 2 }
        try await pair.subscribe(to: "aaaa")
        #expect(await pair.dialler.closed.isEmpty)
        #expect(pair.dialler.link.counters.silencesEnded == 0)
        // The stranger that asks is no peer, and nobody was turned away.
        #expect(await pair.binder.events.isEmpty)
      }
    }
  }

  @Test func `is asked with the key that it has`() async throws {
    let (ours, theirs) = (try KeyPair(), try KeyPair())
    try await Party.with(limits: Self.answering, security: ZeroMQLink.Security(keys: theirs) { _ in .everything }) {
      binder in
      try await Party.with(limits: Self.answering, security: ZeroMQLink.Security(keys: ours) { _ in .refused }) {
        dialler in
        let peer = try await dialler.connect(to: try await binder.bind("tcp://127.0.0.1:0"))
        try await dialler.until("the connection") { $0.opened(dialled: true) == [peer] }
        try await dialler.until("questions") { $0.link.counters.silencesAsked >= 2 }
        #expect(await dialler.closed.isEmpty)
        #expect(await binder.turnedAway.isEmpty)
      }
    }
  }

  @Test func `is given up where it does not answer, and dialled again`() async throws {
    try await withScratchDirectory { directory in
      let standing = StandingHost(at: "\(directory)/a")
      try await Party.with(limits: Self.limits(answer: .seconds(10))) { dialler in
        let peer = try await dialler.connect(to: "ipc://\(directory)/a")
        let strangers = standing.greet()
        try await dialler.until("the end") { $0.story(of: peer) == ["opened", "closed"] }
        try await dialler.until("the count") { $0.link.counters.silencesEnded == 1 }
        for stranger in strangers {
          #expect(stranger.isHungUpOn())
          stranger.leave()
        }
        standing.stop()
        try await Party.with { another in
          _ = try await another.bind("ipc://\(directory)/a")
          try await dialler.until("opening again") { $0.story(of: peer).last == "opened" }
        }
      }
    }
  }
}

/// A process that accepts one connection at either socket of an endpoint, shakes hands, and stands still from then on:
/// the system accepts further ones for it, and nobody answers them.
private final class StandingHost {
  private let listeners: [Int32]

  init(at path: String) {
    listeners = [".ask", ".pub"].map { suffix in
      let descriptor = socket(AF_UNIX, Portable.streamType, 0)
      var name = sockaddr_un()
      name.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: Array((path + suffix).utf8)) }
      let isBound = withUnsafePointer(to: &name) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
      precondition(isBound && listen(descriptor, 16) == 0, "nothing can be bound at \(path)")
      return descriptor
    }
  }

  /// Waits for a peer that dials.
  func greet() -> [Stranger] {
    zip(listeners, ["ROUTER", "XPUB"]).map { listener, type in
      let stranger = Stranger(accepted: accept(listener, nil, nil))
      stranger.shakeHands(as: type)
      return stranger
    }
  }

  func stop() {
    for listener in listeners { close(listener) }
  }
}
