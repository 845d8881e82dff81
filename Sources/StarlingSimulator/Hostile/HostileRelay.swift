import StarlingCore
import StarlingEngine

/// A daemon that members trust as one that relays, and that lies (`LyingLink`). It runs the whole program, so that
/// others follow it; its store is its own.
final class HostileRelay {
  let process: SimulatedProcess
  private let link: LyingLink

  static let endpoint = "memory:\(HostilePeer.name)"

  init(_ process: SimulatedProcess, over link: LyingLink) {
    self.process = process
    self.link = link
  }

  /// It opens what it is asked for.
  func start(dialling endpoints: [String], on executor: ManualExecutor) {
    process.start(endpoint: Self.endpoint, dialling: endpoints, opening: [], on: executor)
  }

  func lie(using generator: inout SeededGenerator) { link.lie(using: &generator) }
}
