/// Counts the messages of one connection, so that both ends notice when some were lost (Protocol/conversation.md,
/// "Heartbeats").
///
/// ```
///   sender    hello │ have  acknowledge  have  heartbeat(4)
///   receiver  hello │ have               have  heartbeat(4)   counted 3: one was lost
/// ```
///
/// Each hello begins a new count. A network that changes the order of messages makes the counts differ for a moment: a
/// message is taken to be lost once two heartbeats in a row differ by as many, or nothing has arrived for a whole
/// heartbeat after one that differed.
///
/// Heartbeats follow the messages that they count, and become rare where nothing is said:
///
/// ```
///   said    have
///   beat      heartbeat   heartbeat   heartbeat   heartbeat   –   –   –   –   heartbeat   –  ...
///   quiet     0           1           2           3           4   5   6   7   8           9
/// ```
public struct MessageTally: Sendable, Hashable {
  private var sentCount: UInt64 = 0
  /// How many had been with the latest heartbeat's time, it and what repeats others included; and for how many of those
  /// times no more were.
  private var sentCountBefore: UInt64 = 0
  private var quietCount = 0
  /// How many of the messages to come say nothing new.
  private var repeatCount = 0
  private var receivedCount: UInt64 = 0
  /// By how many messages the latest heartbeat differed; nil before the first after a hello.
  private var difference: UInt64?
  /// How many messages had arrived when such a difference was looked at.
  private var receivedCountBefore: UInt64?

  public init() {}

  // MARK: Sending

  /// A hello was sent.
  public mutating func sentHello() {
    sentCount = 0
    sentCountBefore = 0
    quietCount = 0
    repeatCount = 0
  }

  public mutating func sentMessage() {
    sentCount += 1
    guard repeatCount > 0 else { return }
    repeatCount -= 1
    sentCountBefore += 1
  }

  /// A message is about to be sent that says nothing new: no heartbeat is to follow it.
  public mutating func willRepeat() { repeatCount += 1 }

  /// It is time for a heartbeat.
  ///
  /// - Returns: whether one is sent: with what was said lately, and else now and then.
  public mutating func isHeartbeatDue() -> Bool {
    quietCount = sentCount == sentCountBefore ? quietCount + 1 : 0
    let isDue = quietCount <= Self.followingCount || quietCount.isMultiple(of: HeartbeatRound.quietInterval)
    sentCountBefore = isDue ? nextCount : sentCount
    return isDue
  }

  /// How many heartbeats follow the one that counts the latest message.
  private static let followingCount = 3

  /// What a heartbeat says that is sent next.
  public var nextCount: UInt64 { sentCount + 1 }

  // MARK: Receiving

  /// A hello arrived.
  public mutating func receivedHello() {
    receivedCount = 0
    difference = nil
    receivedCountBefore = nil
  }

  public mutating func receivedMessage() { receivedCount &+= 1 }

  /// A heartbeat arrived, which is counted already.
  ///
  /// - Parameter count: what it says.
  /// - Returns: whether messages were lost.
  public mutating func receivedHeartbeat(_ count: UInt64) -> Bool {
    let former = difference
    difference = count &- receivedCount
    receivedCountBefore = nil
    guard let difference, difference != 0, difference == former else { return false }
    // Said once: what is lost is asked for now.
    self.difference = nil
    return true
  }

  /// A heartbeat's time is over, whether one arrived or not.
  ///
  /// - Returns: whether messages were lost: nothing has arrived in that time, though the latest heartbeat differed.
  public mutating func waitedForHeartbeat() -> Bool {
    guard let difference, difference != 0 else { return false }
    guard receivedCountBefore == receivedCount else {
      receivedCountBefore = receivedCount
      return false
    }
    self.difference = nil
    return true
  }
}
