/// How often bodies ran: `Scripts/mac` has each body note its view.
@MainActor public enum Evaluations {
  static var counts: [ObjectIdentifier: Int] = [:]

  public static func note<Content>(_ type: Content.Type) {
    counts[ObjectIdentifier(type), default: 0] += 1
  }
}
