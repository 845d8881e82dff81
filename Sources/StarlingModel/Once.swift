/// A value made at its first use; of two made at once the first stays.
final class Once<Content>: @unchecked Sendable {
  // Sendable: the box is published once, and its content never changes.
  private let box = SetOnce<Box>()

  private final class Box {
    let content: Content
    init(_ content: Content) { self.content = content }
  }

  /// The value if it was made.
  var ifMade: Content? { box.load()?.content }

  func value(_ make: () -> Content) -> Content {
    if let box = box.load() { return box.content }
    return box.setIfNil(Box(make())).content
  }
}
