import StarlingGuard

/// The daemon in a cluster that a program talks to: one, and the same for as long as it is there.
final class ChosenDaemon: Sendable {
  private let current = Guarded<String?>(nil)

  /// - Parameter endpoints: where daemons are; nil where that is not known now.
  /// - Returns: the endpoint of the daemon to talk to, or nothing where there is none.
  func choose(from endpoints: [String]?) -> [String] {
    let drawn = endpoints?.randomElement()
    return current.withLock { current in
      if let endpoints, !endpoints.contains(where: { $0 == current }) { current = drawn }
      return current.map { [$0] } ?? []
    }
  }
}
