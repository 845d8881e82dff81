import Foundation

/// By what processes of one machine reach each other.
package enum Transport {
  case ipc, tcp

  /// Where nobody listens; over TCP the socket chooses.
  package var endpoint: String {
    switch self {
    case .ipc: "ipc://\(Scratch.folder)/\(UUID().uuidString.prefix(8))"
    case .tcp: "tcp://127.0.0.1:0"
    }
  }
}

/// Why a route between processes could not be measured.
package struct LinkFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
