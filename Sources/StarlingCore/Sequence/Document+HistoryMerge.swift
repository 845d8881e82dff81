extension Document {
  /// Merges what somebody typed, reduced to its strokes, with the outcome of merging the changes one after
  /// another.
  ///
  /// ```
  /// strokes    + 4 × 1   + 1 × 12   ⌫ 1   + 1 × 1
  /// applied    insert 16            ⌫     insert 1       one run each
  /// ```
  ///
  /// - Returns: The outcome of the changes: that of the first which neither merged nor was here before, where there
  ///   is one; those before it are merged. `.duplicate` where all were here.
  /// - Throws: `MergeError` at a change that nobody may merge; those before it are merged.
  /// - Complexity: O(strokes + bytes of text) into a text that has no items, removed ones or others; else O(log *n*)
  ///   for each stroke, and O(bytes of text). A history that is merged in part already, or whose changes cannot all
  ///   merge now, is merged change by change.
  public mutating func merge(_ history: TextHistory, patch: inout Patch) throws(MergeError) -> MergeOutcome {
    if try mergeAsOne(history, patch: &patch) { return .merged }
    return try merge(oneByOne: history.changes, patch: &patch)
  }

  mutating func merge(oneByOne changes: [Change], patch: inout Patch) throws(MergeError) -> MergeOutcome {
    var outcome = MergeOutcome.duplicate
    for change in changes {
      switch try merge(change, patch: &patch) {
      case .duplicate: break
      case .merged: outcome = .merged
      case .notYet(let missing): return .notYet(missing: missing)
      case .lacksAnchors(let dots): return .lacksAnchors(dots)
      }
    }
    return outcome
  }

  /// Merges all of the history or nothing. False, and nothing that anybody reads is altered, where its changes have to be
  /// looked at one by one.
  ///
  /// - Throws: `MergeError` where it has no changes to look at, because its numbers contradict each other.
  mutating func mergeAsOne(_ history: TextHistory, patch: inout Patch) throws(MergeError) -> Bool {
    let last = Dot(history.replica, try history.checkShape())
    let held = Dot(history.replica, history.firstCounter - 1)
    guard version[history.replica] == held.counter, !isWriting || history.replica != open.replica else { return false }
    openText(of: history.object)
    var definitions = Definitions(history.objects)
    guard mayMergeAsOne(history, &definitions) else { return false }

    beginCall(&patch)
    if let object = resolve(history.object, &definitions) {
      if mayTakeWhole(history, in: object) {
        takeWhole(history, in: object, patch: &patch)
      } else {
        apply(history, to: object, patch: &patch)
      }
    }
    version[history.replica] = last.counter
    capacity.spend(last.counter - held.counter + UInt64(history.objects.count))
    removeHead(held)
    frontier.insert(last, at: headPlace(of: last))
    clock.observe(history.stamps.max()!)
    endCall(&patch)
    return true
  }

  // MARK: Looking first

  /// Whether each change would merge: what a stroke names is there before it, without any doubt.
  private func mayMergeAsOne(_ history: TextHistory, _ definitions: inout Definitions) -> Bool {
    do throws(MergeError) {
      try checkDefined(history.object, Dot(history.replica, history.firstCounter - 1), &definitions)
    } catch {
      return false
    }
    let object = objects.find(history.object)
    let kind = object.map { objects[$0].kind } ?? definitions[history.object]?.kind ?? .text
    guard kind == .text else { return false }
    let sequence = object.flatMap { self.sequence(of: $0) }
    guard hasCapacity(for: UInt64(history.text.count), in: sequence) else { return false }
    var inserted = InsertedCounters()
    var counter = history.firstCounter
    for stroke in history.strokes {
      switch stroke.action {
      case .insert(let edge):
        let isOwn = edge.item.replica == history.replica && edge.item.counter >= history.firstCounter
        guard edge.isAnchor, isOwn ? inserted.contains(edge.item.counter) : isItem(edge.item, of: sequence) else {
          return false
        }
        inserted.append(counter, count: stroke.itemCount)
      case .removeForwards(let first), .removeBackwards(let first):
        // The last of them all: a later operation may have seen more, an earlier one has not.
        let end = stroke.firstRemoved!.counter + (stroke.itemCount - 1)
        guard first.replica == history.replica && end < counter || version.covers(Dot(first.replica, end)) else {
          return false
        }
      }
      counter += stroke.counterCount
    }
    return true
  }

  private func isItem(_ dot: Dot, of sequence: SequenceHandle?) -> Bool {
    guard dot != .origin else { return true }
    guard let sequence, version.covers(dot), let item = item(dot) else { return false }
    return isKnown(item, in: sequence)
  }

  // MARK: All at once

  /// Whether the text has no items that the history could be concurrent with, or rest on.
  private func mayTakeWhole(_ history: TextHistory, in object: ObjectHandle) -> Bool {
    guard history.text.count > 0 else { return false }
    return sequence(of: object).map { sequences[$0].tree.itemCount == 0 } ?? true
  }

  /// The items are placed as the strokes left them; where each stroke fell is never asked.
  private mutating func takeWhole(_ history: TextHistory, in object: ObjectHandle, patch: inout Patch) {
    let replica = replicas.intern(history.replica)
    let removalCount = history.strokes.count { $0.firstRemoved != nil }
    var typing = Typing(
      by: replica, from: history.firstCounter, insertionCount: history.strokes.count - removalCount,
      removalCount: removalCount)
    var removals = sequence(of: object).map { sequences[$0].removals } ?? Removals()
    var slices = TextSlices(of: history.text)
    var counter = history.firstCounter
    for stroke in history.strokes {
      let (first, count) = (counter, Int(stroke.itemCount))
      counter += stroke.counterCount
      if case .insert(let edge) = stroke.action {
        let utf8 = slices.next(count).lowerBound
        typing.insert(first, count: count, edge.side, of: edge.item.counter, utf8: utf8)
      } else if let item = stroke.firstRemoved, item.replica == history.replica,
        typing.remove(from: item.counter, count: count)
      {
        let run = ItemRun(first: DotRow(replica: replica, counter: item.counter), count: count)
        removals.append(Removal(run: run, cause: .operation(DotRow(replica: replica, counter: counter - 1))))
      }
    }
    let sequence = makeSequence(of: object)
    altering(textOf: object, patch: &patch) { document, patch in
      document.sequences[sequence].tree = SequenceTree(typing, text: history.text)
      document.sequences[sequence].removals = removals
      let count = document.sequences[sequence].tree.count
      if count > 0 { patch.record(.insert(at: 0, count: count), in: document.objects[object].id) }
    }
  }

  // MARK: Stroke by stroke

  private mutating func apply(_ history: TextHistory, to object: ObjectHandle, patch: inout Patch) {
    let replica = replicas.intern(history.replica)
    var slices = TextSlices(of: history.text)
    var counter = history.firstCounter
    var place = 0
    while place < history.strokes.count {
      let stroke = history.strokes[place]
      let dot = DotRow(replica: replica, counter: counter)
      counter += stroke.counterCount
      place += 1
      guard case .insert(let edge) = stroke.action else {
        remove(stroke, from: object, as: DotRow(replica: replica, counter: counter - 1), patch: &patch)
        continue
      }
      var count = stroke.itemCount
      // What goes on behind the last item is of one run with it.
      while place < history.strokes.count, case .insert(let next) = history.strokes[place].action,
        next == Edge(.right, of: Dot(history.replica, counter - 1))
      {
        count += history.strokes[place].itemCount
        counter += history.strokes[place].counterCount
        place += 1
      }
      let step = Step(object: object, dot: dot, stamp: Stamp(rawValue: 0))
      let range = slices.next(Int(count))
      guard let anchor = self.place(edge.side, of: edge.item, in: object) else { continue }
      history.text.withUTF8 { utf8 in
        let text = UnsafeBufferPointer(rebasing: utf8[range])
        applyInsert(text, count: Int(count), at: anchor, step, patch: &patch)
      }
    }
  }

  /// The stroke counts as merged once its last operation is, in what is collected.
  private mutating func remove(
    _ stroke: TextHistory.Stroke, from object: ObjectHandle, as dot: DotRow, patch: inout Patch
  ) {
    guard let item = stroke.firstRemoved.flatMap({ item($0) }) else { return }
    let step = Step(object: object, dot: dot, stamp: Stamp(rawValue: 0))
    applyRemove(scalars: ItemRun(first: item, count: Int(stroke.itemCount)), step, patch: &patch)
  }
}

/// The counters that the strokes so far have given to items, as ascending ranges.
private struct InsertedCounters {
  private var starts: ContiguousArray<UInt64> = []
  private var ends: ContiguousArray<UInt64> = []

  mutating func append(_ counter: UInt64, count: UInt64) {
    if ends.last == counter {
      ends[ends.count - 1] += count
    } else {
      starts.append(counter)
      ends.append(counter + count)
    }
  }

  func contains(_ counter: UInt64) -> Bool {
    // Most often something is typed beside what was typed last.
    if let start = starts.last, counter >= start { return counter < ends[ends.count - 1] }
    let after = starts.partitioningIndex { $0 > counter }
    return after > 0 && counter < ends[after - 1]
  }
}

/// Parts a text by numbers of scalars.
struct TextSlices {
  private let text: Scalars
  private var end = 0

  init(of text: Scalars) {
    self.text = text
  }

  /// The bytes of the next `count` scalars; that many must follow.
  mutating func next(_ count: Int) -> Range<Int> {
    let start = end
    if text.count == text.utf8Count {
      end += count
    } else {
      text.withUTF8 { utf8 in
        for _ in 0..<count {
          let lead = utf8[end]
          end += lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        }
      }
    }
    return start..<end
  }
}
