public import CoreMetrics
public import StarlingReplica

extension ReplicaMetrics {
  /// - Parameters:
  ///   - replica: The replica that is measured.
  ///   - interval: how often.
  ///   - factory: the backend; the bootstrapped one by default.
  public init(
    of replica: Replica, every interval: Duration = .seconds(10), factory: any MetricsFactory = MetricsSystem.factory
  ) {
    self.init(of: replica.bare, every: interval, factory: factory)
  }
}
