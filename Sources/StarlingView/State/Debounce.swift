/// A time between two values, in seconds.
public struct PublisherInterval: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, Hashable, Sendable {
  let duration: Duration

  public init(integerLiteral value: Int) {
    duration = .seconds(value)
  }

  public init(floatLiteral value: Double) {
    duration = .seconds(value)
  }

  private init(duration: Duration) {
    self.duration = duration
  }

  /// So many seconds.
  public static func seconds(_ seconds: Double) -> PublisherInterval {
    PublisherInterval(duration: .seconds(seconds))
  }
  /// So many seconds.
  public static func seconds(_ seconds: Int) -> PublisherInterval { PublisherInterval(duration: .seconds(seconds)) }
  /// So many thousandths of a second.
  public static func milliseconds(_ milliseconds: Int) -> PublisherInterval {
    PublisherInterval(duration: .milliseconds(milliseconds))
  }
}

/// A value on its way through a publisher that waits.
private final class Waiting<Output>: @unchecked Sendable {
  // Sendable: touched on the main actor alone, where values are sent and handed on.
  var task: Task<Void, Never>?
  var value: Output?
  let receive: (Output) -> Void

  init(_ receive: @escaping (Output) -> Void) {
    self.receive = receive
  }

  func handOn() {
    if let value { receive(value) }
    value = nil
  }
}

/// Hands on a value once none has come for a while.
struct DebouncedPublisher<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  let upstream: Upstream
  let interval: Duration

  func sink(receiveValue receive: @escaping (Output) -> Void) -> AnyCancellable {
    let (waiting, interval) = (Waiting(receive), interval)
    let subscription = upstream.sink { value in
      waiting.value = value
      waiting.task?.cancel()
      waiting.task = Task { @MainActor in
        try? await Task.sleep(for: interval)
        if !Task.isCancelled { waiting.handOn() }
      }
    }
    return AnyCancellable {
      subscription.cancel()
      waiting.task?.cancel()
    }
  }
}

extension Publisher {
  /// Hands on a value once none has come for `interval`, on the main actor. The scheduler has no effect.
  public func debounce(for interval: PublisherInterval, scheduler: Any) -> some Publisher<Output> {
    DebouncedPublisher(upstream: self, interval: interval.duration)
  }

  /// The publisher itself: values come where they are sent. The scheduler has no effect.
  public func receive(on scheduler: Any) -> Self { self }

  /// Writes each value to a property of an object, as long as what is returned is kept.
  public func assign<Root: AnyObject>(
    to path: ReferenceWritableKeyPath<Root, Output>, on object: Root
  ) -> AnyCancellable {
    sink { object[keyPath: path] = $0 }
  }
}
