import StarlingCore

/// What a law says of a world that breaks it.
package struct Fault: Error, CustomStringConvertible {
  package var description: String

  init(_ description: String) { self.description = description }
}

/// One run of a world: each replica with its document and what it can undo, all changes, and the laws.
struct WorldRun {
  private let world: World
  private var documents: [Document]
  private var histories: [UndoHistory]
  private var log: [Change] = []
  /// What each replica has written and merged, by the model's count and not by the document's.
  private var versions: [ReferenceModel.VersionVector]
  /// The same after each step: it may have told so at any time.
  private var told: [[ReferenceModel.VersionVector]]
  /// What a reader saw before the latest change of a replica, if that counted and did nothing else.
  private var beforeCounting: [Counted?]
  private let isStale: Bool
  /// The outcome of each step, for people.
  private(set) var story: [String] = []

  private struct Counted {
    var object: ObjectID
    var key: Key
    var seen: String
    /// That of the replica after the change.
    var version: ReferenceModel.VersionVector
  }

  init(_ world: World) {
    self.world = world
    isStale = world.hasStaleMembership
    var document = Document()
    #if DEBUG
      document.checksEveryCall = false
    #endif
    document.holdsRemovedObjects = world.movesObjects
    documents = Array(repeating: document, count: world.replicas.count)
    histories = Array(repeating: UndoHistory(), count: world.replicas.count)
    versions = Array(repeating: ReferenceModel.VersionVector(), count: world.replicas.count)
    told = versions.map { [$0] }
    beforeCounting = Array(repeating: nil, count: world.replicas.count)
  }

  mutating func run() throws {
    for step in world.steps {
      try perform(step)
      try checkVersions()
      for place in documents.indices where versions[place] != told[place].last { told[place].append(versions[place]) }
    }
    if !isStale { try checkBeforeSettling() }
    try settle()
    try checkVersions()
    try checkAgreement("once all have all")
    for place in documents.indices { documents[place].collectTombstones(stable: documents[place].version) }
    try checkAgreement("once all have collected")
  }

  // MARK: Steps

  private mutating func perform(_ step: World.Step) throws {
    switch step {
    case .write(let place, let clock, let acts): try write(place, clock, acts)
    case .undo(let place, let clock): try undo(place, clock)
    case .redo(let place, let clock):
      try commit(place, clock, "redoes") { run, patch in
        run.histories[place].redo(in: &run.documents[place], patch: &patch)
      }
    case .hear(let place, let pick):
      let ready = ready(for: place) { _ in true }
      if !ready.isEmpty { try deliver(ready[pick % ready.count], to: place) }
      try deliverTooEarly(pick, to: place)
    case .catchUp(let place, let from, let pick):
      let version = versions[from]
      try catchUp(place, pick) { version.covers(ReferenceModel.Dot($0.last)) }
    case .takeState(let place, let from):
      story.append("\(place) merges the state of \(from)")
      try mergeState(of: from, into: place)
    case .collect(let place, let ignored): try collect(place, ignored)
    }
  }

  private mutating func write(_ place: Int, _ clock: UInt64, _ acts: [World.Act]) throws {
    let before = acts.count == 1 ? Self.counted(acts[0], in: &documents[place]) : nil
    let isWritten = try commit(place, clock, "") { run, patch in
      for act in acts { run.story[run.story.count - 1] += act.perform(on: &run.documents[place], patch: &patch) + "; " }
      return true
    }
    beforeCounting[place] = nil
    guard isWritten, let (object, key) = before?.place, let seen = before?.seen else { return }
    beforeCounting[place] = Counted(object: object, key: key, seen: seen, version: versions[place])
  }

  /// The slot that the act counts in and what a reader sees there, if undoing can bring that back: an object cannot be
  /// written over itself, and one clear keeps what stands in one derived object alone.
  private static func counted(
    _ act: World.Act, in document: inout Document
  ) -> (place: (ObjectID, Key), seen: String)? {
    guard let (object, key) = act.counter(in: &document) else { return nil }
    let kinds = Kind.known.filter { document.isLive(.derived(parent: object, key: key, kind: $0)) }
    let visible = document.visible(key, in: object)
    if case .value(.object, _) = visible { return nil }
    if kinds.count > 1 { return nil }
    return ((object, key), Self.look(visible))
  }

  /// What a reader sees, whoever wrote it.
  private static func look(_ visible: Visible) -> String {
    if case .value(let value, _) = visible { "\(value)" } else { "\(visible)" }
  }

  @discardableResult
  private mutating func commit(
    _ place: Int, _ clock: UInt64, _ what: String, _ body: (inout WorldRun, inout Patch) -> Bool
  ) throws -> Bool {
    story.append("\(place) at \(clock) \(what)")
    let isEdit = what.isEmpty
    var patch = Patch()
    documents[place].begin(as: ReplicaID(rawValue: world.replicas[place]), now: clock, recording: isEdit)
    _ = body(&self, &patch)
    let change = documents[place].commit()
    if isEdit { histories[place].add(documents[place].takeRecording()) }
    beforeCounting[place] = isEdit ? beforeCounting[place] : nil
    guard let change else { return false }
    if isEdit, !isStale { try checkReplaced(by: change, at: place) }
    log.append(change)
    versions[place] = versions[place].through(ReferenceModel.Dot(change.last))
    return true
  }

  private mutating func undo(_ place: Int, _ clock: UInt64) throws {
    let counted = beforeCounting[place].flatMap { $0.version == versions[place] ? $0 : nil }
    try commit(place, clock, "undoes") { run, patch in
      run.histories[place].undo(in: &run.documents[place], patch: &patch)
    }
    guard let counted else { return }
    let now = Self.look(documents[place].visible(counted.key, in: counted.object))
    if now != counted.seen {
      throw Fault("having undone an increment, \(place) sees \(now) under \(counted.key), where \(counted.seen) was")
    }
  }

  // MARK: Delivery

  /// The places in the log of the changes that a replica may merge next.
  private func ready(for place: Int, where isWanted: (Change) -> Bool) -> [Int] {
    log.indices.filter { isReady(log[$0], for: place) && isWanted(log[$0]) }
  }

  private func isReady(_ change: Change, for place: Int) -> Bool {
    let version = versions[place]
    return version.counters[change.replica.rawValue, default: 0] + 1 == change.firstCounter
      && change.frontier.allSatisfy { version.covers(ReferenceModel.Dot($0)) }
  }

  /// A change that stands on what the replica has not merged waits, and alters nothing.
  private func deliverTooEarly(_ pick: Int, to place: Int) throws {
    let early = log.filter { !versions[place].covers(ReferenceModel.Dot($0.last)) && !isReady($0, for: place) }
    guard !early.isEmpty else { return }
    let change = early[pick % early.count]
    var (document, patch) = (documents[place], Patch())
    guard case .notYet = try document.merge(change, patch: &patch) else {
      throw Fault("\(place) merges \(change.last) before what it stands on")
    }
    if document.digest() != documents[place].digest() { throw Fault("\(place) is altered by a change that waits") }
  }

  /// - Returns: Whether it merged.
  @discardableResult
  private mutating func deliver(_ index: Int, to place: Int) throws -> Bool {
    var patch = Patch()
    let outcome = try documents[place].merge(log[index], patch: &patch)
    switch outcome {
    case .merged:
      story.append("\(place) merges \(log[index].last)")
      versions[place] = versions[place].through(ReferenceModel.Dot(log[index].last))
      return true
    case .lacksAnchors(let dots):
      story.append("\(place) lacks \(dots) for \(log[index].last)")
      // A replica that collects what all have, as the writers have told, never needs a state.
      if !isStale { throw Fault("\(place) lacks \(dots), which \(log[index].last) rests on") }
      return false
    case .duplicate, .notYet: throw Fault("\(place) merges not what it may merge: \(outcome)")
    }
  }

  private mutating func catchUp(_ place: Int, _ pick: Int, where isWanted: (Change) -> Bool) throws {
    var stuck: Set<Int> = []
    var turn = pick
    while true {
      let ready = ready(for: place, where: isWanted).filter { !stuck.contains($0) }
      guard !ready.isEmpty else { return }
      turn = turn &* 31 &+ 7
      let index = ready[(turn >> 2 & 0xFFFF) % ready.count]
      if try !deliver(index, to: place) { stuck.insert(index) }
    }
  }

  private mutating func collect(_ place: Int, _ ignored: Set<Int>) throws {
    let here = versions[place]
    var stable = here
    for other in documents.indices where other != place && !ignored.contains(other) {
      stable = stable.intersection(told[other].last { here.covers($0) } ?? ReferenceModel.VersionVector())
    }
    let before = documents[place].digest()
    let count = documents[place].collectTombstones(stable: stable.core)
    story.append("\(place) collects \(count), stable \(stable.core)")
    if documents[place].digest() != before { throw Fault("collecting altered the digest of \(place)") }
  }

  /// Brings everything to everybody: by change what can be, the rest by state.
  private mutating func settle() throws {
    story.append("-- everything comes to everybody")
    for place in documents.indices {
      try catchUp(place, Int(truncatingIfNeeded: world.seed) & 63 + place) { _ in true }
    }
    guard isStale else { return }
    // Whoever wrote has what it wrote on; once versions are equal one more round levels what was forgotten.
    for _ in 0..<documents.count + 1 {
      for place in documents.indices {
        for other in documents.indices where other != place {
          try mergeState(of: other, into: place)
        }
        try catchUp(place, place) { _ in true }
      }
      if versions.allSatisfy({ $0 == versions[0] }) { break }
    }
    for place in documents.indices {
      for other in documents.indices where other != place {
        try mergeState(of: other, into: place)
      }
    }
  }

  private mutating func mergeState(of other: Int, into place: Int) throws {
    var patch = Patch()
    try documents[place].merge(documents[other].snapshot(), patch: &patch)
    versions[place] = versions[place].union(versions[other])
  }

  // MARK: Laws

  /// Whoever writes over what stands under a key, or takes it away, names all of it. What a change names is the rules'
  /// word for what others see, so a dot that is left out of it would be left out by everybody alike, the model among
  /// them. Looked at is the first operation: others stand on what those before them have left. Where an object moves,
  /// it leaves one place of its own, whatever others wrote beside it.
  private func checkReplaced(by change: Change, at place: Int) throws {
    guard let operation = ReferenceModel.Change(change).operations.first, let replacing = operation.action.replacing
    else { return }
    let model = ReferenceModel(
      log.filter { versions[place].covers(ReferenceModel.Dot($0.last)) }.map { ReferenceModel.Change($0) })
    let entries = model.entries(operation.key, in: operation.object)
    let isLeft = { (entry: ReferenceModel.Entry) in
      replacing == [entry.dot] && (entry.value.isObject || entry.value.movedObject != nil)
    }
    if world.movesObjects, case .remove = operation.action, entries.contains(where: isLeft) { return }
    let standing = Set(entries.map(\.dot))
    if !standing.isSubset(of: replacing) {
      throw Fault("\(change.last) of \(place) leaves \(standing.subtracting(replacing).map(\.core)) where it writes")
    }
  }

  private func checkVersions() throws {
    for place in documents.indices where ReferenceModel.VersionVector(documents[place].version) != versions[place] {
      throw Fault("\(place) is at \(documents[place].version), having merged all of \(versions[place].core)")
    }
  }

  /// One replica in the middle of things has what the rules make of the changes that it has.
  private func checkBeforeSettling() throws {
    let place = Int(world.seed % UInt64(documents.count))
    let version = versions[place]
    let model = ReferenceModel(
      log.filter { version.covers(ReferenceModel.Dot($0.last)) }.map { ReferenceModel.Change($0) })
    if ReferenceModel.State(documents[place].canonicalSnapshot()) != model.state() {
      throw Fault("\(place) does not hold what the rules say of what it has")
    }
  }

  private func checkAgreement(_ when: String) throws {
    for (place, document) in documents.enumerated() {
      #if DEBUG
        document.checkInvariants()
      #endif
      if document.version != documents[0].version { throw Fault("\(place) has another version than 0 \(when)") }
      if let lost = document.assignedObjects.first(where: { document.ancestors(of: $0).last != .root }) {
        throw Fault("\(lost) stands nowhere in \(place) \(when)")
      }
      if document.digest() != documents[0].digest() { throw Fault("\(place) has another digest than 0 \(when)") }
    }
    // Where all forgot some of an object, they agree, on what is left.
    if isStale, documents.allSatisfy({ !$0.incompleteObjects.isEmpty }) { return }
    let changes = log.map { ReferenceModel.Change($0) }
    for (change, own) in zip(log, changes) where change.objects.map({ ReferenceModel.ObjectID($0.id) }) != own.ids {
      throw Fault("\(change.last) derives other ids than the rules say")
    }
    let model = ReferenceModel(changes)
    let expected = isStale ? model.state(without: forgotten(model)) : model.state()
    for (place, document) in documents.enumerated() {
      let state = ReferenceModel.State(document.canonicalSnapshot())
      if state != expected { throw Fault("\(place) does not hold what the rules say \(when)") }
      if let difference = isStale ? nil : difference(document, model) { throw Fault("\(place) \(difference) \(when)") }
      if try Document(document.snapshot()).digest() != document.digest() {
        throw Fault("the snapshot of \(place) has another digest \(when)")
      }
    }
  }

  /// Marks of null that stand by the rules and that nobody holds: with stale membership all may have forgotten them.
  private func forgotten(_ model: ReferenceModel) -> Set<ReferenceModel.Dot> {
    let held = Set(
      documents.flatMap { $0.snapshot().objects }.flatMap { $0.sequence?.marks ?? [] }.map {
        ReferenceModel.Dot($0.dot)
      })
    let standing = model.objects.flatMap { model.marks(of: $0) }
    return Set(standing.filter { $0.value == .null && !held.contains($0.dot) }.map(\.dot))
  }

  /// What a reader sees otherwise than by the rules.
  private func difference(_ document: Document, _ model: ReferenceModel) -> String? {
    for id in model.objects where model.isLive(id) {
      let object = id.core
      for key in model.places(in: id)
      where ReferenceModel.Visible(document.visible(key.core, in: object)) != model.visible(key, in: id) {
        return "shows \(document.visible(key.core, in: object)) under \(key.core)"
      }
      if model.items(of: id).isEmpty { continue }
      if document.text(in: object) != model.text(in: id) { return "shows the text \(document.text(in: object))" }
      if document.elements(in: object).map({ ReferenceModel.Dot($0) }) != model.elements(in: id) {
        return "shows other elements"
      }
      var properties: [[ReferenceModel.Key: Value]] = Array(
        repeating: [:], count: document.text(in: object).unicodeScalars.count)
      for marked in document.marks(in: object) {
        for place in marked.range { properties[place][ReferenceModel.Key(marked.name)] = marked.value }
      }
      if !properties.isEmpty, properties != model.properties(of: id) { return "marks otherwise" }
    }
    return nil
  }
}
