import StarlingGuard
public import StarlingSession

/// A network in memory, with a clock of its own: the second implementation of the link port.
///
/// ```
///   link.send ──► fault plan: when, how often, if at all ──► agenda, by time ──► run ──► other link's receive
/// ```
///
/// Everything happens on the thread that calls `run`, in an order that depends on nothing but the
/// calls made and the fault plan. Time jumps from one due moment to the next.
public final class MemoryNetwork: Sendable {
  /// One frame on its way.
  public struct Passage: Sendable {
    /// The name of the link that sent it.
    public var from: String
    /// The name of the link that is to receive it.
    public var to: String
    /// Whether it was published, not sent to one peer.
    public var isPublished: Bool
    /// The frame's length in bytes.
    public var byteCount: Int
  }

  /// Decides what happens to a frame: the delay of each copy that arrives. None: it is lost. Asked
  /// with no bytes, for both directions, when a connection is made.
  public typealias FaultPlan = @Sendable (Passage, _ now: Duration) -> [Duration]

  /// No faults: every frame arrives once, a millisecond later.
  public static let calm: FaultPlan = { _, _ in [.milliseconds(1)] }

  /// Runs what happens in the network, when told to.
  public let executor = ManualExecutor()

  fileprivate struct State {
    var now = Duration.zero
    var agenda = Agenda()
    var links: [String: MemoryLink] = [:]
    var nextHandle: UInt64 = 1
    var faultPlan: FaultPlan
  }

  private let state: Guarded<State>

  /// A network without links, at time zero, which delivers as `faultPlan` says.
  public init(faultPlan: @escaping FaultPlan = MemoryNetwork.calm) {
    state = Guarded(State(faultPlan: faultPlan))
  }

  /// The time since the network was made.
  public var now: Duration { state.withLock { $0.now } }

  /// Changes the fault plan from now on; frames under way arrive as decided.
  public func setFaultPlan(_ faultPlan: @escaping FaultPlan) {
    state.withLock { $0.faultPlan = faultPlan }
  }

  /// A link on this network; `name` tells it apart in passages.
  ///
  /// - Parameters:
  ///   - name: The endpoint at which others find the link.
  ///   - identity: who it proves to be to its peers; a process of the same user where nothing else is said.
  public func makeLink(named name: String, as identity: PeerIdentity = .sameUser) -> MemoryLink {
    MemoryLink(name: name, identity: identity, network: self)
  }

  // MARK: Time

  /// Runs everything that is due within `duration`, and leaves the clock at its end.
  public func run(for duration: Duration) {
    let end = now + duration
    executor.runJobs()
    while let due = state.withLock({ $0.takeDue(until: end) }) {
      executor.run(due)
      executor.runJobs()
    }
    state.withLock { $0.now = max($0.now, end) }
  }

  /// Runs until `condition` holds, looking after every step.
  ///
  /// - Returns: false if it did not within `limit`.
  public func run(timeout limit: Duration, until condition: () -> Bool) -> Bool {
    let end = now + limit
    executor.runJobs()
    while !condition() {
      guard let due = state.withLock({ $0.takeDue(until: end) }) else { return condition() }
      executor.run(due)
      executor.runJobs()
    }
    return true
  }

  /// Calls `action` on the network's thread, `delay` from now.
  public func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.agenda.insert(at: $0.now + delay, action) }
  }

  // MARK: Links

  func makeHandle() -> PeerHandle {
    state.withLock { state in
      defer { state.nextHandle += 1 }
      return PeerHandle(rawValue: state.nextHandle)
    }
  }

  func bind(_ link: MemoryLink, at endpoint: String) throws {
    try state.withLock { state in
      guard state.links[endpoint] == nil else { throw LinkError(.inUse, "Somebody listens at '\(endpoint)' already.") }
      state.links[endpoint] = link
    }
  }

  func unbind(_ endpoint: String) {
    state.withLock { $0.links[endpoint] = nil }
  }

  func link(at endpoint: String) -> MemoryLink? {
    state.withLock { $0.links[endpoint] }
  }

  /// Whether a connection could be made in this direction now: whether a frame would arrive at all.
  func admits(from: String, to: String) -> Bool {
    let (faultPlan, now) = state.withLock { ($0.faultPlan, $0.now) }
    return !faultPlan(Passage(from: from, to: to, isPublished: false, byteCount: 0), now).isEmpty
  }

  /// Hands a frame to the fault plan.
  func carry(_ passage: Passage, _ deliver: @escaping @Sendable () -> Void) {
    let (faultPlan, now) = state.withLock { ($0.faultPlan, $0.now) }
    for delay in faultPlan(passage, now) { schedule(after: delay, deliver) }
  }
}

extension MemoryNetwork.State {
  fileprivate mutating func takeDue(until end: Duration) -> (@Sendable () -> Void)? {
    guard let (moment, action) = agenda.removeFirst(until: end) else { return nil }
    now = max(now, moment)
    return action
  }
}

/// Actions by time, those of one moment in the order of insertion: a binary heap.
struct Agenda {
  private struct Item {
    var moment: Duration
    var order: UInt64
    var action: @Sendable () -> Void

    func precedes(_ other: Item) -> Bool {
      (moment, order) < (other.moment, other.order)
    }
  }

  private var heap: [Item] = []
  private var nextOrder: UInt64 = 0

  mutating func insert(at moment: Duration, _ action: @escaping @Sendable () -> Void) {
    heap.append(Item(moment: moment, order: nextOrder, action: action))
    nextOrder += 1
    var child = heap.count - 1
    while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func removeFirst(until end: Duration) -> (Duration, @Sendable () -> Void)? {
    guard let first = heap.first, first.moment <= end else { return nil }
    heap[0] = heap[heap.count - 1]
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].precedes(heap[least]) {
        least = child
      }
      guard least != parent else { break }
      heap.swapAt(least, parent)
      parent = least
    }
    return (first.moment, first.action)
  }
}
