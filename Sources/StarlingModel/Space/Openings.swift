/// The instances that one refresh has opened and nobody has filled yet with what the document holds.
///
/// A model that holds others opens them while it is decoded. They are filled by the same refresh, one after the other,
/// before it shows them to anybody.
final class Openings {
  // Used by one thread, within one refresh.
  private var waiting: [(model: any ReplicatedModel, attachment: Attachment)] = []
  private var isBegun = false
  private var filled: [ObjectIdentifier: Attachment] = [:]

  func add(_ model: any ReplicatedModel, _ attachment: Attachment) {
    waiting.append((model, attachment))
  }

  func take() -> (model: any ReplicatedModel, attachment: Attachment)? { waiting.popLast() }

  /// - Returns: Whether it is the caller who fills what is opened from now on.
  func begin() -> Bool {
    defer { isBegun = true }
    return !isBegun
  }

  /// Whether it is not being filled by this refresh already.
  func isFirst(_ attachment: Attachment) -> Bool {
    filled.updateValue(attachment, forKey: ObjectIdentifier(attachment)) == nil
  }

  /// All that was opened is filled, down to what holds nothing: it may be shown.
  func end() {
    for attachment in filled.values { attachment.markFilled() }
    filled = [:]
    isBegun = false
  }
}
