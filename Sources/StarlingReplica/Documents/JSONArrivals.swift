public import StarlingCore
import StarlingEngine
import StarlingGuard

/// Something that others wrote has come and looks different now.
public struct JSONArrival: Sendable, Equatable {
  /// In what way the document looks different.
  public enum What: Sendable, Equatable {
    /// From one value to another; nil for nothing. Of texts the whole before and after.
    case changed(from: JSONValue?, to: JSONValue?)
    /// An element of the list at the path has gone from one index to another.
    case moved(from: Int, to: Int)
    /// Properties of a range of the text at the path, in Unicode scalars.
    case marked(Range<Int>)
    /// The value is what it was, and its conflict is not: what stands beside it, or who wrote it and when.
    case conflicted
  }

  /// Where in the document.
  public var path: DocumentPath
  /// What is different there.
  public var what: What
  /// Under which ids what came was written.
  public var writers: [ReplicaID]
  /// How many values stand beside the visible one.
  public var conflictCount: Int
}

extension JSONDocument {
  private static let waitingMax = 10_000

  /// What others write from here on, as it comes. What this replica writes itself is not among it.
  ///
  /// It costs a copy of what each merge touches, and O(*n*) where objects come that were not there before: it is for
  /// a person's eyes and for tools.
  ///
  /// - Throws: while it is read, `JSONDocumentError(.tooSlow)` where more came than the reader took.
  public func arrivals() throws(JSONDocumentError) -> AsyncThrowingStream<JSONArrival, any Error> {
    let watcher = Guarded(ArrivalWatcher(try tree()))
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: JSONArrival.self, bufferingPolicy: .bufferingOldest(Self.waitingMax))
    let handle = handle
    handle.onPatch { patch in
      guard let document = handle.copy() else { return }
      let arrivals = watcher.withLock { $0.arrivals(of: patch, now: DocumentTree(document)) }
      // What was written here as JSON is told like a merge, as no model knows of it yet.
      for arrival in arrivals where arrival.writers != [handle.replica] {
        guard case .dropped = continuation.yield(arrival) else { continue }
        let error = JSONDocumentError(
          .tooSlow, at: .root, "More than \(Self.waitingMax) changes came that were not taken; begin again.")
        return continuation.finish(throwing: error)
      }
    }
    return stream
  }
}

/// Tells patches in words of paths: it keeps the document as it was before.
struct ArrivalWatcher {
  private var former: DocumentTree
  private var index: PlaceIndex

  init(_ tree: DocumentTree) {
    former = tree
    index = PlaceIndex(tree)
  }

  mutating func arrivals(of patch: Patch, now tree: DocumentTree) -> [JSONArrival] {
    let formerIndex = index
    if patch.touchedObjects.contains(where: { !index.knows($0) }) || !patch.removedObjects.isEmpty {
      index = PlaceIndex(tree)
    }
    let writers = tree.document.version.writers(beyond: former.document.version)
    var arrivals: [JSONArrival] = []
    func add(_ path: DocumentPath?, _ what: JSONArrival.What, conflictCount: Int = 0) {
      guard let path else { return }
      arrivals.append(JSONArrival(path: path, what: what, writers: writers, conflictCount: conflictCount))
    }
    for entry in patch.entries {
      let path = index.path(of: entry.key, in: entry.object, tree)
      let formerPath = formerIndex.path(of: entry.key, in: entry.object, former)
      let (from, to) = (former.shown(entry.key, in: entry.object), tree.shown(entry.key, in: entry.object))
      let conflictCount = max(0, tree.document.entries(entry.key, in: entry.object).count - 1)
      if from == to {
        if entry.conflictsChanged { add(path, .conflicted, conflictCount: conflictCount) }
      } else {
        add(path ?? formerPath, .changed(from: from, to: to), conflictCount: conflictCount)
      }
    }
    for sequence in patch.sequences {
      let path = index.path(of: sequence.object, tree)
      let (from, to) = (former.document.text(in: sequence.object), tree.document.text(in: sequence.object))
      if !from.utf8.elementsEqual(to.utf8) { add(path, .changed(from: .string(from), to: .string(to))) }
      for (path, value) in former.elements(of: sequence.object, goneFrom: tree, formerIndex) {
        add(path, .changed(from: value, to: nil))
      }
      for (path, value) in tree.elements(of: sequence.object, goneFrom: former, index) {
        add(path, .changed(from: nil, to: value))
      }
      for edit in sequence.edits {
        switch edit {
        case .move(let from, let to): add(path, .moved(from: from, to: to))
        case .mark(let start, let count): add(path, .marked(start..<start + count))
        case .insert, .remove: break
        }
      }
    }
    former = tree
    return arrivals.uppermost
  }
}

extension DocumentTree {
  /// What is too deep to be read shows as nothing.
  fileprivate func shown(_ key: Key, in object: ObjectID) -> JSONValue? {
    (try? value(key, in: object)) ?? nil
  }

  /// The elements of a list that another state of the document does not have, with the way to each.
  fileprivate func elements(
    of list: ObjectID, goneFrom other: DocumentTree, _ index: PlaceIndex
  ) -> [(DocumentPath, JSONValue?)] {
    let others = Set(other.document.elements(in: list))
    return document.elements(in: list).compactMap { element in
      guard !others.contains(element), let path = index.path(of: .element(element), in: list, self) else { return nil }
      return (path, shown(.element(element), in: list))
    }
  }
}

extension [JSONArrival] {
  /// What came or went with an object above is told with it.
  fileprivate var uppermost: [JSONArrival] {
    let whole = Set(
      compactMap { arrival -> DocumentPath? in
        guard case .changed(let from, let to) = arrival.what, from == nil || to == nil else { return nil }
        return arrival.path
      })
    // An element, or a text, may be told both as a slot and as a part of its sequence.
    var told: Set<String> = []
    let once = filter { arrival in
      guard case .changed(_, let to) = arrival.what else { return true }
      return told.insert("\(arrival.path.pointer) \(to?.description ?? "")").inserted
    }
    return once.filter { arrival in
      !arrival.path.parts.indices.contains { whole.contains(DocumentPath(parts: [String](arrival.path.parts[..<$0]))) }
    }
  }
}

extension Patch {
  fileprivate var touchedObjects: [ObjectID] { entries.map(\.object) + sequences.map(\.object) }
}

extension VersionVector {
  fileprivate func writers(beyond former: VersionVector) -> [ReplicaID] {
    entries.filter { $0.counter > former[$0.replica] }.map(\.replica)
  }
}
