import StarlingGuard

/// Listeners that are told when remote changes became visible.
final class DeliveryListeners: Sendable {
  private let all = Guarded<[(isolation: (any Actor)?, body: @Sendable () -> Void)]>([])

  func add(on isolation: (any Actor)?, _ body: @escaping @Sendable () -> Void) {
    all.withLock { $0.append((isolation, body)) }
  }

  func tell(of delivery: Delivery) {
    for listener in all.withLock({ $0 }) where listener.isolation === delivery.isolation { listener.body() }
  }
}

extension ModelSpace {
  /// Calls `body` after each delivery of remote changes to the models of one isolation, on that
  /// isolation, when their observers have run: the moment for what must happen once for many changes.
  ///
  /// - Parameters:
  ///   - isolation: The actor on which the models were opened; nil for those opened on none, whose deliveries happen on
  ///     the thread that merged.
  ///   - body: Called after each delivery.
  public func onDelivery(on isolation: (any Actor)?, _ body: @escaping @Sendable () -> Void) {
    listeners.add(on: isolation, body)
  }
}
