package import StarlingCore

// Where the model's words and the code's under test meet: everything is copied field by field, and nothing computed.

extension ReferenceModel.Dot {
  package init(_ dot: StarlingCore.Dot) { self.init(dot.replica.rawValue, dot.counter) }

  package var core: StarlingCore.Dot { StarlingCore.Dot(ReplicaID(rawValue: replica), counter) }
}

extension ReferenceModel.VersionVector {
  package init(_ version: StarlingCore.VersionVector) {
    for entry in version.entries { counters[entry.replica.rawValue] = entry.counter }
  }

  package var core: StarlingCore.VersionVector {
    StarlingCore.VersionVector(
      counters.map { StarlingCore.VersionVector.Entry(replica: ReplicaID(rawValue: $0.key), counter: $0.value) })
  }
}

extension ReferenceModel.ObjectID {
  package init(_ id: StarlingCore.ObjectID) { self.init(high: id.high, low: id.low) }

  package var core: StarlingCore.ObjectID { StarlingCore.ObjectID(high: high, low: low) }
}

extension ReferenceModel.Definition {
  /// The id is the model's own; that the code made the same is for whoever compares them.
  package init(_ definition: ObjectDefinition) {
    self.init(
      parent: ReferenceModel.ObjectID(definition.parent), key: ReferenceModel.Key(definition.key), kind: definition.kind
    )
  }
}

extension ReferenceModel.Key {
  package init(_ key: StarlingCore.Key) {
    self =
      switch key {
      case .name(let name): .name(Array(name.utf8))
      case .integer(let integer): .integer(integer)
      case .bytes(let bytes): .bytes(bytes)
      case .element(let dot): .element(ReferenceModel.Dot(dot))
      }
  }

  package var core: StarlingCore.Key {
    switch self {
    case .name(let bytes): .name(String(decoding: bytes, as: UTF8.self))
    case .integer(let integer): .integer(integer)
    case .bytes(let bytes): .bytes(bytes)
    case .element(let dot): .element(dot.core)
    }
  }
}

extension ReferenceModel.Edge {
  package init(_ edge: StarlingCore.Edge) { self.init(edge.side, of: ReferenceModel.Dot(edge.item)) }
}

extension ReferenceModel.Action {
  package init(_ action: StarlingCore.Action) {
    func dots(_ dots: some Sequence<StarlingCore.Dot>) -> [ReferenceModel.Dot] { dots.map { ReferenceModel.Dot($0) } }
    self =
      switch action {
      case .set(let value, let replacing, let clearing):
        .set(value, replacing: dots(replacing), clearing: clearing.map { ReferenceModel.VersionVector($0) })
      case .remove(let replacing, let clearing):
        .remove(replacing: dots(replacing), clearing: clearing.map { ReferenceModel.VersionVector($0) })
      case .increment(let amount, let birth): .increment(amount, birth: birth)
      case .insert(.text(let text), let side): .insertText(Array(text.text.unicodeScalars), side)
      case .insert(.values(let values), let side): .insertValues(values, side)
      case .removeRun(let count): .removeRun(count: count)
      case .move(let edge, let replacing): .move(to: ReferenceModel.Edge(edge), replacing: dots(replacing))
      case .mark(let mark):
        .mark(
          ReferenceModel.MarkOperation(
            start: ReferenceModel.Edge(mark.start), end: ReferenceModel.Edge(mark.end), rank: mark.rank,
            value: mark.value, replacing: dots(mark.replacing)))
      }
  }
}

extension ReferenceModel.Change {
  package init(_ change: StarlingCore.Change) {
    self.init(
      replica: change.replica.rawValue, firstCounter: change.firstCounter, stamp: change.stamp.rawValue,
      frontier: change.frontier.map { ReferenceModel.Dot($0) },
      definitions: change.objects.map { ReferenceModel.Definition($0) },
      operations: change.operations.map {
        ReferenceModel.Operation(
          object: ReferenceModel.ObjectID($0.object), key: ReferenceModel.Key($0.key),
          action: ReferenceModel.Action($0.action))
      })
  }
}

extension ReferenceModel.Entry {
  package init(_ entry: StarlingCore.Entry) {
    self.init(dot: ReferenceModel.Dot(entry.dot), stamp: entry.stamp.rawValue, value: entry.value)
  }
}

extension ReferenceModel.Mark {
  package init(_ mark: StarlingCore.Mark) {
    self.init(
      dot: ReferenceModel.Dot(mark.dot), name: ReferenceModel.Key(mark.name), start: ReferenceModel.Edge(mark.start),
      end: ReferenceModel.Edge(mark.end), rank: mark.rank, value: mark.value)
  }
}

extension ReferenceModel.Visible {
  package init(_ visible: StarlingCore.Visible) {
    self =
      switch visible {
      case .absent: .absent
      case .value(let value, let dot): .value(value, by: ReferenceModel.Dot(dot))
      case .count(let count): .count(count)
      case .container(let kind): .container(kind)
      }
  }
}

extension ReferenceModel.State {
  package init(_ snapshot: Snapshot) {
    self.init(
      version: ReferenceModel.VersionVector(snapshot.version),
      heads: Set(snapshot.frontier.map { ReferenceModel.Dot($0) }),
      latest: snapshot.latestStamp.rawValue)
    for object in snapshot.objects {
      var content = Content(origin: Origin(object.origin))
      for slot in object.slots {
        content.slots[ReferenceModel.Key(slot.key)] = Slot(
          entries: Set(slot.entries.map { ReferenceModel.Entry($0) }),
          shares: Set(
            slot.shares.map {
              ReferenceModel.Share(
                replica: $0.replica.rawValue, birth: $0.birth, last: $0.last, total: $0.total, stamp: $0.stamp.rawValue)
            }))
      }
      if let sequence = object.sequence {
        sequence.forEachRun { content.items += Self.items(of: $0, String(decoding: $1, as: UTF8.self)) }
        content.marks = Set(sequence.marks.map { ReferenceModel.Mark($0) })
      }
      objects[ReferenceModel.ObjectID(object.id)] = content
    }
  }

  /// Each item by itself.
  private static func items(of run: Snapshot.Run, _ text: String) -> [Item] {
    let contents: [Item.Content] =
      switch run.content {
      case .removed(let count): Array(repeating: .removed, count: count)
      case .text: text.unicodeScalars.map { .scalar($0) }
      case .elements(let count): Array(repeating: .element, count: count)
      case .moved(let element, let stamp): [.moved(ReferenceModel.Dot(element), stamp.rawValue)]
      }
    var place = ReferenceModel.Edge(run.anchor)
    var dot = ReferenceModel.Dot(run.first)
    return contents.map { content in
      defer {
        place = ReferenceModel.Edge(.right, of: dot)
        dot.counter += 1
      }
      return Item(dot: dot, anchor: place, content: content)
    }
  }
}

extension ReferenceModel.State.Origin {
  fileprivate init(_ origin: Snapshot.Origin) {
    self =
      switch origin {
      case .root: .root
      case .derived(let definition): .derived(ReferenceModel.Definition(definition))
      case .assigned(let kind), .orphan(let kind): .assigned(kind)
      }
  }
}
