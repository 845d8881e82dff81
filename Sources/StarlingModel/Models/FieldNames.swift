import StarlingCore

/// Under which keys a field stands in the document: its name, and the names it had in earlier versions
/// of the program (`@Renamed`).
///
/// A value moves: every version may write under the name it knows. Visible is the entry with the
/// greatest (stamp, replica id) under any of the names, the others are its conflicts, and a write under
/// the present name takes away what its writer saw under the former ones. So all programs that know the
/// names agree, and nothing written concurrently is lost. Counters add up over the names.
///
/// ```
///   "name" ── E1 "Ada" @7 ─┐
///                          ├─► visible: "Grace", with "Ada" beside it; written again: "title" alone
///   "title" ─ E2 "Grace" @9┘
/// ```
///
/// What has an identity of its own stays: a nested model or a collection is derived from its key, so
/// under another key it would be another object. It stands under the oldest name for good, where old
/// and new programs share it.
struct FieldNames: Sendable {
  var key: Key
  /// The oldest first.
  var former: [Key]

  /// Where a field of `shape` is written.
  func key(for shape: FieldShape) -> Key { shape == .slot ? key : former.first ?? key }

  /// Where else it may stand.
  func otherKeys(for shape: FieldShape) -> [Key] { shape == .slot ? former : [] }

  /// All entries under any of the names.
  func entries(in object: ObjectID, of document: borrowing Document) -> [Entry] {
    former.reduce(into: document.entries(key, in: object)) { $0 += document.entries($1, in: object) }
  }

  /// - Parameter place: of the slot that a field of `shape` is written to.
  func visible(
    _ shape: FieldShape, in object: ObjectID, of document: borrowing Document, at place: inout SlotPlace
  ) -> Visible {
    let present = document.visible(key(for: shape), in: object, at: &place)
    let others = otherKeys(for: shape)
    if others.isEmpty { return present }
    var sum: Int64?
    var greatest: Entry?
    for key in [key] + others {
      switch document.visible(key, in: object) {
      case .count(let count): sum = (sum ?? 0) &+ count
      case .value:
        guard let entry = document.entries(key, in: object).first else { continue }
        if greatest.map({ $0 < entry }) ?? true { greatest = entry }
      case .absent, .container: continue
      }
    }
    return greatest.map { .value($0.value, by: $0.dot) } ?? sum.map { .count($0) } ?? present
  }
}

extension Entry {
  /// Whether the other wins.
  static func < (left: Entry, right: Entry) -> Bool {
    (left.stamp, left.dot.replica, left.dot.counter) < (right.stamp, right.dot.replica, right.dot.counter)
  }
}
