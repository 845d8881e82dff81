/// A value made at its first use; of two made at once the first stays.
package final class Once<Content>: @unchecked Sendable {
  // Sendable: the box is published once, and its content never changes.
  private let box = SetOnce<Box>()

  private final class Box {
    let content: Content
    init(_ content: Content) { self.content = content }
  }

  package init() {}

  /// The value if it was made.
  package var ifMade: Content? { box.load()?.content }

  /// Runs `body` on the value if it was made; nothing of it is counted for that.
  package func withMade<Result>(_ body: (Content) -> Result) -> Result? { box.withLoaded { body($0.content) } }

  package func value(_ make: () -> Content) -> Content {
    if let box = box.load() { return box.content }
    return box.setIfNil(Box(make())).content
  }
}
