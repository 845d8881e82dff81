import StarlingCore
import StarlingEngine
import StarlingGuard

/// A reader who looks at all of a document whenever it is told that something changed, and at times between: it must
/// have been told of every change that it sees, and of nothing else.
///
/// ```
///   view ── merge, patch ──► next view      what differs = what the patch says
///     └──── nothing told ──► next look      nothing differs
/// ```
final class ToldReader: Sendable {
  private struct State {
    var view = View()
    /// What was wrong, in words.
    var findings: [String] = []
  }

  private let state = Guarded(State())

  init(_ handle: DocumentHandle) {
    look(at: handle)
    handle.onPatch { [weak self, weak handle] patch in
      guard let self, let handle else { return }
      told(patch, of: handle)
    }
  }

  var findings: [String] { state.withLock { $0.findings } }

  /// Nothing may have changed that was not told.
  func verify(_ handle: DocumentHandle) {
    let present = handle.read { View($0) }
    state.withLock { state in
      if let difference = state.view.difference(from: present, ignoringWriters: true) {
        state.findings.append("nobody was told that \(difference)")
      }
      state.view = present
    }
  }

  /// What is there now is known.
  func look(at handle: DocumentHandle) {
    let present = handle.read { View($0) }
    state.withLock { $0.view = present }
  }

  private func told(_ patch: Patch, of handle: DocumentHandle) {
    let present = handle.read { View($0) }
    state.withLock { state in
      if let wrong = state.view.contradiction(of: patch, leadingTo: present) { state.findings.append(wrong) }
      state.view = present
    }
  }
}

extension View {
  /// In what the patch is not what leads from this view to another one; nil if it is. Of objects that came or went
  /// altogether nothing is asked but that.
  fileprivate func contradiction(of patch: Patch, leadingTo next: View) -> String? {
    let stayed = objects.intersection(next.objects)
    var told: [Place: Patch.Entry] = [:]
    let untouched = elements(leftBy: patch.sequences)
    for entry in patch.entries {
      let place = Place(object: entry.object, key: entry.key)
      if told.updateValue(entry, forKey: place) != nil { return "the patch speaks twice of \(place)" }
      guard stayed.contains(entry.object) else { continue }
      let (before, after) = (places[place], next.places[place])
      if !entry.to.isSame(as: after?.visible ?? .absent) {
        return "the patch says that \(place) shows \(entry.to), and it shows \(after?.visible ?? .absent)"
      }
      // An element that came or goes with this very patch shows nothing before, nor does one that went and came back. It
      // also goes where its object is moved elsewhere; a count that stands in its place keeps none (Protocol/merge.md,
      // "Moving between parents").
      if case .element(let dot) = entry.key,
        !hasElement(dot, in: entry.object) || !next.hasElement(dot, in: entry.object)
          || untouched[entry.object].map({ !$0.contains(.element(dot)) }) ?? false
      {
        continue
      }
      if !entry.from.isSame(as: before?.visible ?? .absent) {
        return "the patch says that \(place) showed \(entry.from), and it showed \(before?.visible ?? .absent)"
      }
      if !entry.conflictsChanged, entry.from.isSame(as: entry.to) {
        return "the patch speaks of \(place), which shows what it showed: \(entry.to)"
      }
    }
    for place in Set(places.keys).union(next.places.keys) where stayed.contains(place.object) {
      if case .element = place.key { continue }
      let (before, after) = (places[place]?.visible ?? .absent, next.places[place]?.visible ?? .absent)
      if !before.isSame(as: after), told[place] == nil {
        return "the patch does not say that \(place) shows \(after) where it showed \(before)"
      }
    }
    return contradiction(of: patch.sequences, stayed, leadingTo: next)
  }

  /// Of each object whose sequence the edits are of, what stays where a reader has it.
  private func elements(leftBy edits: [SequenceEdits]) -> [ObjectID: Set<Item>] {
    var left: [ObjectID: Set<Item>] = [:]
    for edits in edits {
      left[edits.object] = sequences[edits.object]?.items.applying(edits.edits).map { Set($0.compactMap(\.self)) }
    }
    return left
  }

  private func hasElement(_ dot: Dot, in object: ObjectID) -> Bool {
    sequences[object]?.items.contains(.element(dot)) ?? false
  }

  private func contradiction(of edits: [SequenceEdits], _ stayed: Set<ObjectID>, leadingTo next: View) -> String? {
    var told: [ObjectID: [SequenceEdit]] = [:]
    for edits in edits { told[edits.object, default: []] += edits.edits }
    for object in Set(sequences.keys).union(next.sequences.keys).union(told.keys) where stayed.contains(object) {
      let (before, after) = (sequences[object] ?? Sequence(), next.sequences[object] ?? Sequence())
      guard let edits = told[object] else {
        if before == after { continue }
        return "the patch does not say that the items of \(object) are \(after) where they were \(before)"
      }
      guard let items = before.items.applying(edits) else {
        return "the patch edits \(object) beyond its end: \(edits) of \(before.items.count) items"
      }
      let isSame =
        items.count == after.items.count && zip(items, after.items).allSatisfy { $0.0 == nil || $0.0 == $0.1 }
      if !isSame { return "the edits \(edits) of \(object) do not lead from \(before.items) to \(after.items)" }
    }
    return nil
  }
}

extension [View.Item] {
  /// The items after edits; nil for each that is new. Nil altogether where an edit lies outside.
  fileprivate func applying(_ edits: [SequenceEdit]) -> [View.Item?]? {
    var items: [View.Item?] = self
    for edit in edits {
      switch edit {
      case .insert(let index, let count):
        guard index <= items.count else { return nil }
        items.insert(contentsOf: repeatElement(nil, count: count), at: index)
      case .remove(let index, let count):
        guard index + count <= items.count else { return nil }
        items.removeSubrange(index..<index + count)
      case .move(let from, let to):
        guard from < items.count else { return nil }
        let item = items.remove(at: from)
        guard to <= items.count else { return nil }
        items.insert(item, at: to)
      case .mark(let index, let count):
        guard index + count <= items.count else { return nil }
      }
    }
    return items
  }
}
