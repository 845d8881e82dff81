import StarlingCore

/// Attachments whose instances have gone while a collection of theirs, or a model in one of their places, is still held.
///
/// They take no notice of changes, yet must hear that the object was removed: what is held of it takes no writes then.
struct Outlived {
  private struct Held: @unchecked Sendable {
    // Sendable: a weak reference is read atomically, and here never written again.
    weak let attachment: Attachment?
  }

  private var held: [ObjectID: [Held]] = [:]

  mutating func add(_ attachment: Attachment) {
    held[attachment.object, default: []].append(Held(attachment: attachment))
  }

  /// Alive for the caller to release with every lock open.
  func attachments(of object: ObjectID) -> [Attachment] {
    held.isEmpty ? [] : (held[object] ?? []).compactMap(\.attachment)
  }

  /// Forgets those that nothing is held of any more.
  ///
  /// - Returns: The others, as `attachments(of:)`.
  mutating func sweep(_ object: ObjectID) -> [Attachment] {
    guard let all = held[object] else { return [] }
    let found = all.map(\.attachment)
    let rest = zip(all, found).compactMap { $1 == nil ? nil : $0 }
    held[object] = rest.isEmpty ? nil : rest
    return found.compactMap(\.self)
  }
}
