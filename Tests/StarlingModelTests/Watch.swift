import Foundation
import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard
import StarlingModel
import Synchronization
import Testing

/// Counts the runs of an observer and keeps what it saw.
final class Watch<Content: Sendable>: Sendable {
  private let seen_ = Guarded<[Content]>([])
  private let observing = Guarded<ObservationToken?>(nil)

  init(_ read: @escaping @Sendable () -> Content) {
    let observing = observe(isolation: nil) { [weak self] in
      let content = read()
      self?.seen_.withLock { $0.append(content) }
    }
    self.observing.withLock { $0 = observing }
  }

  var seen: [Content] { seen_.withLock { $0 } }
  var runs: Int { seen.count }
}

/// Whether values of the type may cross isolations: the compiler says which of the two is meant.
func isSendable<Value: ~Copyable>(_ type: Value.Type) -> Bool { false }
func isSendable<Value: ~Copyable & Sendable>(_ type: Value.Type) -> Bool { true }
