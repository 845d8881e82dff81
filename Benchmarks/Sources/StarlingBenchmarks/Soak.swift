import Measuring
import Foundation
import StarlingCore
import StarlingWire

/// One document, many replicas, millions of operations of every kind, some of them undone and done again; at the end
/// all have one digest, and memory is what it was once everything had its size.
///
/// ```
/// replica ──► transaction ──► stream, encoded ──► decoded ──► shared line of changes, in causal order
///                                                                │ each replica merges on from where
///    caught up, compared, collectTombstones(stable:) now and then ◄──────────┘ it stands, some lagging far behind
/// ```
///
/// Whoever is behind when all are compared catches up by the changes, one of them by another's state; and at each
/// reading one begins again from what it would have had on disk.
///
/// What is held in memory has a ceiling: keys, elements and characters are taken away as fast as they come, the line
/// forgets what everybody has merged, and after each reading the page that holds the list and the text is replaced by
/// a new one. (Of a text that is edited for ever, more and more tombstones stay that others rest on:
/// Protocol/merge.md, "Tombstone collection".) So every reading sees a page of the same age, and whatever grows is a
/// leak.
struct Soak {
  static let flag = "--soak"

  struct Options {
    var operationCount = 5_000_000
    var replicaCount = 50
    var seed: UInt32 = 42
  }

  private struct Member {
    var writer: Writer
    /// What it can undo.
    var history = UndoHistory(limit: UndoHistory.Limit(stepCountMax: 100))
    var encoder = LiveEncoder()
    var decoder = LiveDecoder()
    /// How many changes of the line it has merged, or written.
    var place = 0
    /// Does not merge before this many rounds have passed.
    var awayUntil = 0
    var hasCollected = true
  }

  private let options: Options
  private var random: Random32
  private var members: [Member]
  private let elementCountMax = 200
  private let lengthMax = 2000
  /// Those of the present page.
  private var list = ObjectID.root
  private var text = ObjectID.root
  private let keys = (0..<500).map { Key.name("key\($0)") }
  private let set: ObjectID
  /// Changes that somebody may not have merged, in the order in which they were written, and how many came before.
  private var line: [Change] = []
  private var lineStart = 0
  private var operationCount = 0
  private var undoneCount = 0
  private var redoneCount = 0
  private var round = 0
  /// What everybody had merged when they were last compared, and after how many operations that was.
  private var stable = VersionVector()
  private var settledCount = 0

  init(_ options: Options) {
    self.options = options
    random = Random32(seed: options.seed)
    members = (1...options.replicaCount).map { Member(writer: Writer(UInt64($0))) }
    set = members[0].writer.document.declare(.set, for: "set", in: .root)
    for number in members.indices { members[number].writer.document.declare(.set, for: "set", in: .root) }
  }

  /// - Returns: Whether memory stayed flat. Digests that differ stop the program.
  mutating func run() throws -> Bool {
    print("soak: \(options.operationCount) operations, \(options.replicaCount) replicas, seed \(options.seed)")
    let clock = ContinuousClock()
    let begin = clock.now
    try turnPage()
    var readings: [Double] = []
    for reading in 1...Self.readingCount {
      while operationCount < options.operationCount / Self.readingCount * reading {
        try playRound()
        if operationCount > settledCount + 10_000 { try settle() }
      }
      try settle()
      for number in members.indices {
        // Nobody has a tombstone left that it might collect.
        collectTombstones(number)
        // A stream begins again, as after a reconnect: its tables have a bound of their own, but a high one.
        members[number].encoder = LiveEncoder()
        members[number].decoder = LiveDecoder()
      }
      readings.append(try read(after: begin.duration(to: clock.now)))
      try restart(reading % members.count)
      try turnPage()
    }
    // Over the first third everything comes to its size.
    let third = Self.readingCount / 3
    let former = readings[third..<2 * third].reduce(0, +)
    let latter = readings[2 * third..<3 * third].reduce(0, +)
    let isFlat = latter < former * 1.1
    print(
      "all \(options.replicaCount) digests equal; memory in the last third x\((latter / former).shortened) of the one before: "
        + (isFlat ? "flat" : "GROWS"))
    return isFlat
  }

  private static let readingCount = 21

  /// Prints how much there is.
  ///
  /// - Returns: Megabytes allocated.
  private func read(after duration: Duration) throws -> Double {
    let allocated = Memory.allocated
    let document = members[0].writer.document
    let state = State.encode(document)
    let before = Memory.allocated
    let opened = try State.decode(state)
    // What the same state takes where nothing was ever edited: the rest is what editing left behind.
    let openedBytes = Memory.allocated - before
    precondition(opened.digest() == document.digest(), "A copy read from its state differs; seed \(options.seed).")
    let extent = document.rowCount
    let megabytes = Double(allocated) / 1e6
    print(
      "\(operationCount) operations, \(undoneCount) changes undone, \(redoneCount) redone, "
        + "\((duration / .seconds(1)).shortened) s: \(megabytes.shortened) MB allocated, "
        + "\((Double(Memory.resident) / 1e6).shortened) MB resident, "
        + "\((megabytes / Double(options.replicaCount)).shortened) MB a replica, "
        + "\((Double(openedBytes) / 1e6).shortened) MB a fresh copy; \(state.count) B of state, \(extent.slots) slots, "
        + "\(extent.objects) objects, \(extent.keys) keys, \(extent.items) items; digest \(document.digest())")
    fflush(nil)
    return megabytes
  }

  // MARK: Rounds

  /// Everybody who is here merges what has come, and writes.
  private mutating func playRound() throws {
    round += 1
    for number in members.indices where members[number].awayUntil <= round {
      if random.next(below: 50) == 0 {
        members[number].awayUntil = round + 1 + random.next(below: 20)
        continue
      }
      // Not always all of it, so that others' changes meet in many orders.
      try merge(random.next(below: line.count + lineStart - members[number].place + 1), into: number)
      if random.next(below: 8) == 0 {
        try stepBack(number)
      } else {
        try write(as: number, isStep: true) { soak, document, patch in
          for _ in 0..<1 + soak.random.next(below: 8) { soak.operate(on: &document, patch: &patch) }
        }
      }
      if !members[number].hasCollected, random.next(below: 10) == 0 { collectTombstones(number) }
    }
    if round % 10 == 0 { trimLine() }
  }

  /// Everybody merges everything, and is compared.
  private mutating func settle() throws {
    let newcomer = 1 + random.next(below: members.count - 1)
    for number in members.indices where number != newcomer { try merge(.max, into: number) }
    var patch = Patch()
    try members[newcomer].writer.document.merge(members[0].writer.document.snapshot(), patch: &patch)
    members[newcomer].place = lineStart + line.count
    let digest = members[0].writer.document.digest()
    for number in members.indices {
      guard members[number].writer.document.digest() == digest else {
        // Said in release builds too, unlike what a precondition says.
        fatalError("Replica \(number) differs after \(operationCount) operations of seed \(options.seed).")
      }
      // Those who did not get round to it since the last time.
      if !members[number].hasCollected { collectTombstones(number) }
    }
    stable = members[0].writer.document.version
    settledCount = operationCount
    for number in members.indices { members[number].hasCollected = false }
    trimLine()
  }

  /// Collects tombstones that everybody knew to be removed when all were last compared. Each does it when it likes,
  /// as replicas do; the others may still write beside such items, but nobody rests anything on them any more.
  private mutating func collectTombstones(_ number: Int) {
    members[number].writer.document.collectTombstones(stable: stable)
    members[number].hasCollected = true
  }

  /// Goes on from its state alone, as a process does that was started again.
  private mutating func restart(_ number: Int) throws {
    members[number].writer.document = try State.decode(State.encode(members[number].writer.document))
    members[number].history.removeAll()
  }

  /// Puts an empty list and an empty text in place of those that there are.
  private mutating func turnPage() throws {
    var page = ObjectID.root
    try write(as: 0, isStep: false) { _, document, patch in
      page = document.assignObject(.map, for: "page", in: .root, patch: &patch)
    }
    try settle()
    list = .derived(parent: page, key: "list", kind: .list)
    text = .derived(parent: page, key: "text", kind: .text)
    for number in members.indices {
      members[number].writer.document.declare(.list, for: "list", in: page)
      members[number].writer.document.declare(.text, for: "text", in: page)
    }
  }

  private mutating func merge(_ count: Int, into number: Int) throws {
    let first = members[number].place - lineStart
    let last = count < line.count - first ? first + count : line.count
    for place in first..<last {
      var patch = Patch()
      switch try members[number].writer.document.merge(line[place], patch: &patch) {
      case .merged, .duplicate: break
      case .notYet, .lacksAnchors:
        preconditionFailure("Replica \(number) cannot merge \(line[place].last) of seed \(options.seed).")
      }
    }
    members[number].place = lineStart + last
  }

  private mutating func trimLine() {
    let merged = members.reduce(lineStart + line.count) { min($0, $1.place) }
    line.removeFirst(merged - lineStart)
    lineStart = merged
  }

  // MARK: Writing

  /// Undoes what the member did last, up to three changes, and may do some of it again.
  private mutating func stepBack(_ number: Int) throws {
    for _ in 0...random.next(below: 3) {
      try write(as: number, isStep: false) { soak, document, patch in
        if soak.members[number].history.undo(in: &document, patch: &patch) { soak.undoneCount += 1 }
      }
    }
    for _ in 0..<random.next(below: 3) {
      try write(as: number, isStep: false) { soak, document, patch in
        if soak.members[number].history.redo(in: &document, patch: &patch) { soak.redoneCount += 1 }
      }
    }
  }

  /// One transaction, sent as bytes and read from them.
  ///
  /// - Parameter isStep: Whether the member may undo it.
  private mutating func write(
    as number: Int, isStep: Bool, _ body: (inout Soak, inout Document, inout Patch) -> Void
  ) throws {
    let replica = members[number].writer.replica
    members[number].writer.now += UInt64(random.next(below: 5))
    // Taken out while it is written, so that nothing else holds it.
    var document = Document()
    swap(&document, &members[number].writer.document)
    document.begin(as: replica, now: members[number].writer.now, recording: isStep)
    var patch = Patch()
    body(&self, &document, &patch)
    let change = document.commit()
    if isStep { members[number].history.add(document.takeRecording()) }
    swap(&document, &members[number].writer.document)
    guard let change else { return }
    operationCount += change.operations.count
    var message: [UInt8] = []
    members[number].encoder.encode(change, into: &message)
    line += try members[number].decoder.decode(message)
  }

  private mutating func operate(on document: inout Document, patch: inout Patch) {
    let key = keys[random.next(below: keys.count)]
    let number = Int64(random.next(below: 1000))
    switch random.next(below: 16) {
    case 0, 1, 2: document.set(.integer(number), for: key, in: .root, patch: &patch)
    case 3: document.set(.string(random.word()), for: key, in: .root, patch: &patch)
    case 4: document.remove(key, in: .root, patch: &patch)
    case 5: document.increment(.integer(number % 50), in: .root, by: number - 500, patch: &patch)
    case 6: document.set(.bool(true), for: key, in: set, patch: &patch)
    case 7: document.remove(key, in: set, patch: &patch)
    case 8:
      let object = document.assignObject(.map, for: key, in: .root, patch: &patch)
      document.set(.integer(number), for: "field", in: object, patch: &patch)
    case 9, 10, 11: editList(of: &document, number, patch: &patch)
    default: editText(of: &document, patch: &patch)
    }
  }

  private mutating func editList(of document: inout Document, _ number: Int64, patch: inout Patch) {
    let count = document.count(in: list)
    if count > elementCountMax || (count > 0 && random.next(below: 3) == 0) {
      // As many as are too many, so that fifty who insert at once are kept up with.
      let index = random.next(below: count)
      document.removeItems(index..<min(count, index + max(1, (count - elementCountMax) / 4)), in: list, patch: &patch)
    } else if count > 1, random.next(below: 3) == 0 {
      document.move(from: random.next(below: count), to: random.next(below: count), in: list, patch: &patch)
    } else if number % 4 == 0 {
      let index = random.next(below: count + 1)
      guard let element = document.insert([.object(.map)], at: index, in: list, patch: &patch) else { return }
      document.set(.integer(number), for: "field", in: .assigned(by: element), patch: &patch)
    } else {
      document.insert([.integer(number)], at: random.next(below: count + 1), in: list, patch: &patch)
    }
  }

  private mutating func editText(of document: inout Document, patch: inout Patch) {
    let count = document.count(in: text)
    if count > lengthMax || (count > 0 && random.next(below: 3) == 0) {
      let index = random.next(below: count)
      let removed = 1 + random.next(below: 6) + max(0, count - lengthMax) / 4
      document.removeItems(index..<min(count, index + removed), in: text, patch: &patch)
    } else if count > 0, random.next(below: 20) == 0 {
      let start = random.next(below: count)
      let end = min(count, start + 1 + random.next(below: 40))
      let value = random.next(below: 2) == 0 ? Value.null : .bool(true)
      document.mark(start..<end, "bold", value: value, in: text, patch: &patch)
    } else {
      document.insert(random.word(), at: random.next(below: count + 1), in: text, patch: &patch)
    }
  }
}
