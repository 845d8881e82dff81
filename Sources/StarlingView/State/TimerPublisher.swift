public import Foundation

/// Hands out the time at intervals. In `onReceive` it goes by the host's clock: a headless host moves it on with
/// `advance(by:)`.
public struct TimerPublisher: Publisher {
  public typealias Output = Date
  /// How long it takes from one to the next.
  let interval: Duration

  /// The publisher itself: in a view it begins with the view.
  public func autoconnect() -> TimerPublisher { self }

  /// Begins: in a view that needs no call.
  public func connect() -> AnyCancellable { AnyCancellable {} }

  /// Calls `receive` at intervals of real time on the main actor.
  public func sink(receiveValue receive: @escaping (Date) -> Void) -> AnyCancellable {
    let (interval, receiver) = (interval, DateReceiver(call: receive))
    let task = Task { @MainActor in
      while !Task.isCancelled {
        try? await Task.sleep(for: interval)
        if !Task.isCancelled { receiver.call(.now) }
      }
    }
    return AnyCancellable { task.cancel() }
  }
}

/// What hears of the time.
private struct DateReceiver: @unchecked Sendable {
  // Sendable: called on the main actor alone.
  let call: (Date) -> Void
}

extension Timer {
  /// Hands out the time every `interval` seconds. Tolerance, run loop and mode have no effect.
  public static func publish(
    every interval: TimeInterval, tolerance: TimeInterval? = nil, on runLoop: RunLoop, in mode: RunLoop.Mode,
    options: Never? = nil
  ) -> TimerPublisher {
    TimerPublisher(interval: .seconds(interval))
  }
}
