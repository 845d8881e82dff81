/// What a replica measures as text, made at most once a second however often it is asked for: to measure goes through
/// all documents and their members on the engine's thread.
public actor MeasuredText {
  private let make: @Sendable () async -> String
  private let uptime: @Sendable () -> Duration
  private var latest: (text: Task<String, Never>, began: Duration)?

  /// Measures a replica, which it holds.
  public init(of replica: BareReplica) {
    self.init(uptime: { ContinuousClock.now - MeasuredText.start }) { await replica.measure().text }
  }

  init(uptime: @escaping @Sendable () -> Duration, _ make: @escaping @Sendable () async -> String) {
    self.uptime = uptime
    self.make = make
  }

  private static let start = ContinuousClock.now
  private static let interval: Duration = .seconds(1)

  /// The text as it was within the last second; those who ask while it is made wait for the same.
  public var text: String {
    get async {
      let now = uptime()
      if let latest, now - latest.began < Self.interval { return await latest.text.value }
      let text = Task { [make] in await make() }
      latest = (text, now)
      return await text.value
    }
  }
}
