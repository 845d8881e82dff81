/// Publishers made of others, by their names in Combine.
public enum Publishers {
  /// Keeps values until they are asked for. Here they are handed on at once.
  public struct Buffer<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    let upstream: Upstream

    public func sink(receiveValue receive: @escaping (Output) -> Void) -> AnyCancellable {
      upstream.sink(receiveValue: receive)
    }
  }

  /// When a buffer asks for values.
  public enum PrefetchStrategy: Hashable, Sendable {
    /// As many as it holds, or as they are asked for.
    case keepFull, byRequest
  }

  /// What a buffer does with values for which it has no space.
  public enum BufferingStrategy: Hashable, Sendable {
    /// It drops the new ones, or the old ones.
    case dropNewest, dropOldest
  }
}

/// The values of a publisher, one after the other, for `for await`. Of those that come before one is asked for, the latest
/// is kept.
public struct AsyncPublisher<Heard: Publisher>: AsyncSequence {
  public typealias Element = Heard.Output
  /// Nothing fails.
  public typealias Failure = Never
  let publisher: Heard

  public func makeAsyncIterator() -> Iterator { Iterator(publisher) }

  /// Hands out the values.
  public struct Iterator: AsyncIteratorProtocol {
    private var base: AsyncStream<Moved>.Iterator
    private let subscription: AnyCancellable

    fileprivate init(_ publisher: Heard) {
      let (stream, continuation) = AsyncStream.makeStream(of: Moved.self, bufferingPolicy: .bufferingNewest(1))
      base = stream.makeAsyncIterator()
      subscription = publisher.sink { continuation.yield(Moved(value: $0)) }
    }

    public mutating func next(isolation actor: isolated (any Actor)?) async -> Heard.Output? {
      await base.next(isolation: actor)?.value
    }
  }

  private struct Moved: @unchecked Sendable {
    // Sendable: what is sent is handed to the one task that iterates, and to nobody else.
    let value: Heard.Output
  }
}

extension Publisher {
  /// The values, one after the other.
  public var values: AsyncPublisher<Self> { AsyncPublisher(publisher: self) }

  /// The publisher with a buffer: values are handed on at once here, and the sizes have no effect.
  public func buffer(
    size: Int, prefetch: Publishers.PrefetchStrategy, whenFull: Publishers.BufferingStrategy
  ) -> Publishers.Buffer<Self> {
    Publishers.Buffer(upstream: self)
  }
}
