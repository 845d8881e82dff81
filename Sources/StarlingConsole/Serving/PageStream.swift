import FlyingSocks

/// The events of one page: each is made when the page has taken the one before.
struct PageStream: AsyncBufferedSequence {
  typealias Element = UInt8

  private let signals: AsyncStream<Void>
  private let lease: PageLease

  init(of console: Console, page id: Int, _ signals: AsyncStream<Void>) {
    self.signals = signals
    lease = PageLease(console, id)
  }

  func makeAsyncIterator() -> Iterator { Iterator(signals: signals.makeAsyncIterator(), lease: lease) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    fileprivate var signals: AsyncStream<Void>.AsyncIterator
    fileprivate let lease: PageLease
    private var hasBegun = false

    fileprivate init(signals: AsyncStream<Void>.AsyncIterator, lease: PageLease) {
      self.signals = signals
      self.lease = lease
    }

    /// Between two messages what happens is gathered.
    private static let pause: Duration = .milliseconds(80)

    mutating func next() async throws -> UInt8? {
      preconditionFailure("A page is sent whole messages.")
    }

    mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
      if hasBegun { try await Task.sleep(for: Self.pause) }
      hasBegun = true
      while true {
        if let update = await lease.console.update(of: lease.id) { return Array(update.utf8) }
        guard await signals.next(isolation: #isolation) != nil else { return nil }
      }
    }
  }
}

/// Closes the page when its stream ends, however that comes.
private final class PageLease: Sendable {
  let console: Console
  let id: Int

  init(_ console: Console, _ id: Int) {
    self.console = console
    self.id = id
  }

  deinit {
    Task { [console, id] in await console.leave(id) }
  }
}
