import StarlingEngine
import StarlingGuard
import StarlingSession
import StarlingWire

/// What each member may do in a group whose members prove keys: one list for all of them. A replica that relays may
/// relay, all others write, until a fault has one do less for a while or come with another key.
///
/// ```
///   key "r2 key 3" ──► name "r2", or another since ──► role: relays or writes, or what a fault left of that
/// ```
final class Allowlist: Sendable {
  private struct State {
    var usualRoles: [String: Trust.Role] = [:]
    /// What is left of a role for a while; nil where nothing is.
    var reduced: [String: Trust.Role?] = [:]
    var keyNumbers: [String: Int] = [:]
    /// Another name under which the key is listed.
    var otherNames: [String: String] = [:]
    var documents: [String: [DocumentPattern]] = [:]
  }

  private let state = Guarded(State())

  func letIn(_ name: String, as role: Trust.Role, documents: [DocumentPattern] = [.everything]) {
    state.withLock { state in
      state.usualRoles[name] = role
      state.documents[name] = documents
    }
  }

  /// The key that it proves now.
  func identity(of name: String) -> PeerIdentity {
    .key("\(name) key \(state.withLock { $0.keyNumbers[name, default: 0] })")
  }

  /// From its next connection on it proves another; the one before is let in no more.
  func replaceKey(of name: String) {
    state.withLock { $0.keyNumbers[name, default: 0] += 1 }
  }

  /// The list has its key under a name that nobody had before.
  func rename(_ name: String) {
    state.withLock { $0.otherNames[name] = ($0.otherNames[name] ?? name) + "x" }
  }

  /// It may do no more than `role` until it is restored; nothing at all where that is nil.
  func reduce(_ name: String, to role: Trust.Role?) {
    state.withLock { $0.reduced[name] = .some(role) }
  }

  func restore(_ name: String) {
    state.withLock { $0.reduced[name] = nil }
  }

  func trust(inKey key: String) -> Trust? {
    let parts = key.split(separator: " ")
    guard parts.count == 3, let number = Int(parts[2]) else { return nil }
    let name = String(parts[0])
    return state.withLock { state in
      guard number == state.keyNumbers[name, default: 0], let usual = state.usualRoles[name],
        let role = state.reduced[name] ?? usual
      else { return nil }
      return Trust(name: state.otherNames[name] ?? name, role: role, documents: state.documents[name] ?? [])
    }
  }
}
