public import Foundation

/// Hands out values over time. Enough of Combine for views: `onReceive`, `sink`, `map`, `filter`.
public protocol Publisher<Output> {
  /// The type of the values.
  associatedtype Output

  /// Calls `receive` with each value, until what is returned is cancelled or released.
  func sink(receiveValue receive: @escaping (Output) -> Void) -> AnyCancellable
}

extension ObservableObjectPublisher: Publisher {
  public typealias Output = Void
}

extension Published.Publisher: Publisher {
  public typealias Output = Value
}

extension Publisher {
  /// Hands out what `transform` makes of each value.
  public func map<Result>(_ transform: @escaping (Output) -> Result) -> some Publisher<Result> {
    PassedPublisher { receive in self.sink { receive(transform($0)) } }
  }

  /// Hands out what `transform` makes of each value, where it makes something.
  public func compactMap<Result>(_ transform: @escaping (Output) -> Result?) -> some Publisher<Result> {
    PassedPublisher { receive in self.sink { if let result = transform($0) { receive(result) } } }
  }

  /// Hands out the values for which `isIncluded` is true.
  public func filter(_ isIncluded: @escaping (Output) -> Bool) -> some Publisher<Output> {
    PassedPublisher { receive in self.sink { if isIncluded($0) { receive($0) } } }
  }

  /// Hands out all values but the first ones.
  public func dropFirst(_ count: Int = 1) -> some Publisher<Output> {
    PassedPublisher { receive in
      var left = count
      return self.sink { value in
        if left > 0 { left -= 1 } else { receive(value) }
      }
    }
  }

  /// The publisher itself: values come on the thread on which they are sent.
  public func eraseToAnyPublisher() -> some Publisher<Output> { PassedPublisher { self.sink(receiveValue: $0) } }
}

extension Publisher where Output: Equatable {
  /// Hands out the values that differ from the one before.
  public func removeDuplicates() -> some Publisher<Output> {
    PassedPublisher { receive in
      var last: Output?
      return self.sink { value in
        guard value != last else { return }
        last = value
        receive(value)
      }
    }
  }
}

/// A publisher made of another.
private struct PassedPublisher<Output>: Publisher {
  let subscribe: (@escaping (Output) -> Void) -> AnyCancellable

  func sink(receiveValue receive: @escaping (Output) -> Void) -> AnyCancellable { subscribe(receive) }
}

/// Hands out what a program sends.
public final class PassthroughSubject<Output, Failure>: Publisher {
  private let sinks = Sinks<Output>()

  /// A subject that nobody hears yet.
  public init() {}

  /// Hands a value out.
  public func send(_ value: Output) {
    sinks.send(value)
  }

  public func sink(receiveValue receive: @escaping (Output) -> Void) -> AnyCancellable { sinks.add(receive) }
}

extension PassthroughSubject where Output == Void {
  /// Tells whoever hears.
  public func send() {
    send(())
  }
}

/// Hands out the value that it holds, and then what a program sends.
public final class CurrentValueSubject<Output, Failure>: Publisher {
  private let sinks = Sinks<Output>()

  /// The last value that was sent. Writing sends.
  public var value: Output {
    didSet { sinks.send(value) }
  }

  /// A subject that holds a value.
  public init(_ value: Output) {
    self.value = value
  }

  /// Holds a value and hands it out.
  public func send(_ value: Output) {
    self.value = value
  }

  public func sink(receiveValue receive: @escaping (Output) -> Void) -> AnyCancellable {
    receive(value)
    return sinks.add(receive)
  }
}

extension NotificationCenter {
  /// Hands out the notifications of a name.
  public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> NotificationPublisher {
    NotificationPublisher(center: self, name: name, object: object)
  }

  /// Hands out the notifications of a name.
  public struct NotificationPublisher: Publisher {
    public typealias Output = Notification
    let center: NotificationCenter
    let name: Notification.Name
    let object: AnyObject?

    public func sink(receiveValue receive: @escaping (Notification) -> Void) -> AnyCancellable {
      let receiver = Receiver(receive)
      let token = Observation(
        token: center.addObserver(forName: name, object: object, queue: nil) { receiver.call($0) }, center: center)
      return AnyCancellable { token.end() }
    }
  }
}

/// What hears of notifications.
private struct Receiver: @unchecked Sendable {
  // Sendable: called on the thread that posts, as who subscribed expects.
  let call: (Notification) -> Void

  init(_ call: @escaping (Notification) -> Void) {
    self.call = call
  }
}

/// An observer of a notification center.
private struct Observation: @unchecked Sendable {
  // Sendable: the center takes an observer away from any thread, and the token is only handed back to it.
  let token: any NSObjectProtocol
  let center: NotificationCenter

  func end() {
    center.removeObserver(token)
  }
}
