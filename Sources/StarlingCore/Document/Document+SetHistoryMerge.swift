extension Document {
  /// Merges changes that only set, with the outcome of merging them one after another.
  ///
  /// - Returns, and throws: as for a text's history.
  /// - Complexity: O(sets); only the last in each slot is stored.
  public mutating func merge(_ history: SetHistory, patch: inout Patch) throws(MergeError) -> MergeOutcome {
    if mergeAsOne(history, patch: &patch) { return .merged }
    return try merge(oneByOne: history.changes, patch: &patch)
  }

  /// Merges all of it or nothing. False, and nothing is altered, where its changes have to be looked at one by one.
  mutating func mergeAsOne(_ history: SetHistory, patch: inout Patch) -> Bool {
    let first = Dot(history.replica, history.firstCounter)
    guard version[history.replica] == first.counter - 1, !isWriting || history.replica != open.replica,
      history.frontier.isEmpty || mayFollow(history.frontier, first)
    else { return false }
    var targets = history.objects.withUnsafeBufferPointer { self.targets(of: $0) }
    // Where all are known none is needed: what goes while the row is applied goes with an object that nobody defines.
    var definitions = Definitions([])
    if targets.contains(where: { !$0.isKnown }) { definitions = Definitions(history.objects.flatMap { $0.chain }) }
    guard mayMergeAsOne(history, targets, &definitions) else { return false }

    beginCall(&patch)
    apply(history, &targets, &definitions, patch: &patch)
    capacity.spend(UInt64(history.definitionCount(at: history.sets.indices)))
    advance(
      to: Dot(history.replica, history.lastCounter), from: first, frontier: history.frontier,
      stamp: history.latestStamp)
    endCall(&patch)
    return true
  }

  private func mayFollow(_ frontier: [Dot], _ first: Dot) -> Bool {
    do throws(MergeError) { try first.checkFrontier(frontier) } catch { return false }
    return frontier.allSatisfy { version.covers($0) }
  }

  private func targets(of objects: UnsafeBufferPointer<SetHistory.WrittenObject>) -> ContiguousArray<Target> {
    ContiguousArray(
      unsafeUninitializedCapacity: objects.count
    ) { targets, count in
      for place in objects.indices {
        let id = objects[place].id
        (targets.baseAddress! + place).initialize(to: Target(id: id, handle: self.objects.find(id)))
      }
      count = objects.count
    }
  }

  /// Whether each change would merge.
  private func mayMergeAsOne(
    _ history: SetHistory, _ targets: ContiguousArray<Target>, _ definitions: inout Definitions
  ) -> Bool {
    history.sets.withUnsafeBufferPointer { sets in
      for place in sets.indices where sets[place].base == place {
        let seen = Dot(history.replica, history.firstCounter + UInt64(place) - 1)
        let replaced = sets[place].replaced
        guard replaced == .origin || isSeen(replaced, by: seen) else { return false }
        let slot = Int(sets[place].slot)
        if case .element(let dot) = history.slots[slot].key, !isSeen(dot, by: seen) { return false }
        let object = Int(history.slots[slot].object)
        if targets[object].isKnown { continue }
        do throws(MergeError) {
          try checkDefined(history.objects[object].id, seen, &definitions)
        } catch {
          return false
        }
      }
      return true
    }
  }

  @inline(__always)
  private func isSeen(_ dot: Dot, by seen: Dot) -> Bool {
    dot.replica == seen.replica && dot.counter <= seen.counter || version.covers(dot)
  }

  private mutating func apply(
    _ history: SetHistory, _ targets: inout ContiguousArray<Target>, _ definitions: inout Definitions,
    patch: inout Patch
  ) {
    let replica = replicas.intern(history.replica)
    history.slots.withUnsafeBufferPointer { slots in
      history.sets.withUnsafeBufferPointer { sets in
        // Looked at where they stand: an element of a buffer is copied whole.
        guard let firstSlot = slots.baseAddress, let firstSet = sets.baseAddress else { return }
        for place in sets.indices where (firstSet + place).pointee.base == place {
          let set = firstSet + place
          let slot = firstSlot + Int(set.pointee.slot)
          let number = Int(slot.pointee.object)
          guard let object = resolve(history.objects[number].id, &targets[number], &definitions),
            mayHaveSlot(slot.pointee.key, object)
          else { continue }
          let last = Int(set.pointee.last)
          let dot = DotRow(replica: replica, counter: history.firstCounter + UInt64(last))
          let replaced = set.pointee.replaced
          applySet(
            (firstSet + last).pointee.value, at: self.slot(slot.pointee.key, in: object, hint: slot.pointee.hint),
            Step(object: object, dot: dot, stamp: (firstSet + last).pointee.stamp),
            replacing: replaced == .origin ? DotSet() : DotSet(replaced), clearing: nil, patch: &patch)
        }
      }
    }
  }
}
