package import StarlingEngine

/// Where a log keeps what it is given: it outlives the process that a test simulates.
package protocol LogHome: Sendable {
  /// The log of one run of the process.
  func log() -> any ChangeLog

  /// The home as it is after the process dies now, whatever is open.
  func crashed() throws -> any LogHome

  /// An empty home of the same kind.
  func another() -> any LogHome

  /// Whether the crashed home is a copy, so that what is open in this one goes on.
  var isCopiedByCrash: Bool { get }

  /// Of many small worlds, one in so many is tried.
  var worldsPerTrial: Int { get }
}

extension LogHome {
  package var isCopiedByCrash: Bool { false }
  package var worldsPerTrial: Int { 1 }

  /// Whether the next of the candidates is tried.
  func takes(_ candidates: inout Int) -> Bool {
    candidates += 1
    return candidates % worldsPerTrial == 0
  }
}
