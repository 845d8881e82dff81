import StarlingCore
import StarlingGuard

/// How a process proves to another on the same machine that it has ended, and that until then it told nobody else what
/// it wrote (Protocol/conversation.md, "Leases"). The third port of an engine, and one it can do without: then no
/// process proves anything, and its leases come back only if it returns them.
///
/// ```
///   show ──► standing ── the process ends, however ──► ended ── clear ──► gone
///               └─ withdraw ──► gone: nothing is proved any more
/// ```
///
/// What an implementation guarantees: `ended` never names one whose process still runs, or that has withdrawn its sign;
/// and it is the system that takes the sign down, not the clock. Processes are known by the names of their stores.
public protocol LifeSigns: Sendable {
  /// Puts up the sign of this process.
  ///
  /// - Returns: false where that cannot be.
  func show(_ name: String) -> Bool

  /// Takes the sign of this process down for good.
  ///
  /// - Returns: false where it still stands.
  func withdraw(_ name: String) -> Bool

  /// Ends as the process does, and leaves the sign as the proof.
  func leave(_ name: String)

  /// Whether the sign of a process stands and the process runs.
  func isStanding(_ name: String) -> Bool

  /// Those whose processes have ended under their signs.
  func ended() -> [String]

  /// Removes the sign of a process that has ended.
  func clear(_ name: String)
}

/// The signs of processes in memory: for tests and simulations.
public final class MemoryLifeSigns: LifeSigns {
  private let standing = Guarded<[String: Bool]>([:])

  /// No process lives yet.
  public init() {}

  public func show(_ name: String) -> Bool {
    standing.withLock { $0[name] = true }
    return true
  }

  public func withdraw(_ name: String) -> Bool {
    standing.withLock { $0[name] = nil }
    return true
  }

  /// Ends a process: the test's way to do what the system does.
  public func leave(_ name: String) {
    standing.withLock { if $0[name] != nil { $0[name] = false } }
  }

  public func isStanding(_ name: String) -> Bool { standing.withLock { $0[name] == true } }

  public func ended() -> [String] {
    standing.withLock { standing in
      standing.filter { !$0.value }.keys.sorted()
    }
  }

  public func clear(_ name: String) {
    standing.withLock { if $0[name] == false { $0[name] = nil } }
  }
}

extension StoreID {
  /// Nil for what is not sixteen hexadecimal digits.
  init?(description: String) {
    guard description.utf8.count == 16, let number = UInt64(description, radix: 16) else { return nil }
    self.init(rawValue: number)
  }
}
