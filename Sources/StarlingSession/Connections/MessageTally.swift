/// Counts the messages of one connection, so that both ends notice when some were lost (Protocol/conversation.md,
/// "Heartbeats").
///
/// ```
///   sender    hello │ have  acknowledge  have  heartbeat(4)
///   receiver  hello │ have               have  heartbeat(4)   counted 3: one was lost
/// ```
///
/// Each hello begins a new count. A network that changes the order of messages makes the counts differ for a moment: a
/// message is taken to be lost once two heartbeats in a row differ by as many.
public struct MessageTally: Sendable, Hashable {
  private var sentCount: UInt64 = 0
  private var receivedCount: UInt64 = 0
  /// By how many messages the latest heartbeat differed; nil before the first after a hello.
  private var difference: UInt64?

  public init() {}

  // MARK: Sending

  /// A hello was sent.
  public mutating func sentHello() { sentCount = 0 }

  public mutating func sentMessage() { sentCount += 1 }

  /// What a heartbeat says that is sent next.
  public var nextCount: UInt64 { sentCount + 1 }

  // MARK: Receiving

  /// A hello arrived.
  public mutating func receivedHello() {
    receivedCount = 0
    difference = nil
  }

  public mutating func receivedMessage() { receivedCount &+= 1 }

  /// A heartbeat arrived, which is counted already.
  ///
  /// - Parameter count: what it says.
  /// - Returns: whether messages were lost.
  public mutating func receivedHeartbeat(_ count: UInt64) -> Bool {
    let former = difference
    difference = count &- receivedCount
    guard let difference, difference != 0, difference == former else { return false }
    // Said once: what is lost is asked for now.
    self.difference = nil
    return true
  }
}
