public import StarlingCore

/// Reads the changes of one live stream (Protocol/wire-format.md, "Live streams").
///
/// After an error it reads no more: its tables have lost step with the writer's, so every later
/// call throws `brokenStream`, and the owner asks the sender for its tables.
///
/// - Complexity: no hash look-ups; what a change allocates is what it holds.
public struct LiveDecoder: Sendable {
  var state = State()
  var isBroken = false

  /// A decoder for a stream read from its very beginning.
  public init() {}

  /// A decoder for a stream that goes on from `tables`, as `LiveEncoder.tables()` gave them.
  public init(tables: [UInt8], limits: WireLimits = .standard) throws(WireError) {
    state = try Reader.read(tables[...], atMost: limits.frameByteCountMax, limits: limits) {
      reader throws(WireError) in try State(tables: &reader)
    }
  }

  /// The changes of one payload, in order, with complete definitions.
  ///
  /// - Throws: `WireError`; its offset counts from the first byte of `payload`.
  public mutating func decode(
    _ payload: ArraySlice<UInt8>, limits: WireLimits = .standard
  ) throws(WireError) -> [Change] {
    var changes: [Change] = []
    try decode(payload, into: &changes, limits: limits)
    return changes
  }

  /// Appends the changes of one payload; of one that is refused, none.
  public mutating func decode(
    _ payload: ArraySlice<UInt8>, into changes: inout [Change], limits: WireLimits = .standard
  ) throws(WireError) {
    try breakUntilRead()
    let former = changes.count
    do throws(WireError) {
      try Reader.read(payload, atMost: limits.frameByteCountMax, limits: limits) { reader throws(WireError) in
        while !reader.isAtEnd { changes.append(try state.change(&reader)) }
      }
    } catch {
      changes.removeLast(changes.count - former)
      throw error
    }
    isBroken = false
  }

  /// The same, changes that only set in rows.
  package mutating func decode(
    _ payload: ArraySlice<UInt8>, into contributions: inout Contributions, limits: WireLimits = .standard
  ) throws(WireError) {
    try breakUntilRead()
    let former = contributions.changeCount
    do throws(WireError) {
      try Reader.read(payload, atMost: limits.frameByteCountMax, limits: limits) { reader throws(WireError) in
        while !reader.isAtEnd { try state.readChange(&reader, into: &contributions) }
      }
    } catch {
      contributions.removeChanges(downTo: former)
      throw error
    }
    isBroken = false
  }

  public mutating func decode(_ payload: [UInt8], limits: WireLimits = .standard) throws(WireError) -> [Change] {
    try decode(payload[...], limits: limits)
  }

  /// Pessimistic, so that a throw needs no handler; whoever has read a payload clears it.
  mutating func breakUntilRead() throws(WireError) {
    guard !isBroken else {
      throw WireError(.brokenStream, at: 0, "An earlier payload of this stream was refused")
    }
    isBroken = true
  }
}

extension LiveDecoder {
  /// What the stream said so far: `LiveEncoder.State` as its reader keeps it, by number only.
  struct State: Sendable {
    var writer: Int?
    var stamp = Stamp(rawValue: 0)
    var slot = -1
    var cursor = SequenceCursor()

    var replicas: [LiveEncoder.ReplicaEntry] = []
    /// Each a `Key.name`.
    var names: [Key] = []
    var objects: [ObjectEntry] = [ObjectEntry(id: .root)]
    var slots: [SlotEntry] = []
    var load = TableLoad()
    var generation: UInt64 = 0
    /// Sets that are read and not merged yet.
    var sets = WaitingSets()
  }

  struct ObjectEntry: Sendable {
    var id: ObjectID
    var parent = 0
    /// The definitions of its derived ancestors, outermost first, and its own; empty where the
    /// stream never said it. Handed out as it is for a change within one object.
    var chain: [ObjectDefinition] = []
    var mark: UInt64 = 0
  }

  struct SlotEntry: Sendable {
    var object: Int
    var objectID: ObjectID
    var key: Key
    var last = LiveEncoder.SlotEntry.nothing
    /// Where the latest of the `sets` in this slot may wait, or where the slot may stand in the row that is read.
    var row: Int32 = 0
  }
}

extension LiveDecoder.State {
  mutating func change(_ reader: inout Reader) throws(WireError) -> Change {
    try change(head(&reader), &reader)
  }

  /// Reads what follows the head.
  mutating func change(_ head: borrowing ChangeHead, _ reader: inout Reader) throws(WireError) -> Change {
    var listing = Listing()
    var counter = head.firstCounter
    var operations: [Operation] = []
    operations.reserveCapacity(head.operationCount)
    for _ in 0..<head.operationCount {
      operations.append(try operation(named: &counter, by: head.writer, listing: &listing, &reader))
    }
    replicas[head.writer].counter = max(replicas[head.writer].counter, counter - 1)
    let message = head.flags.has(ChangeFlags.moreGiven) ? try readMore(into: &listing, &reader) : nil
    let replica = replicas[head.writer].id
    if load.isTooMuch { self = Self() }
    return Change(
      replica: replica, firstCounter: head.firstCounter, stamp: head.stamp, frontier: head.frontier,
      objects: listing.definitions, operations: operations, message: message)
  }

  // MARK: The head of a change

  struct ChangeHead: ~Copyable {
    let flags: ChangeFlags
    let writer: Int
    let firstCounter: UInt64
    let stamp: Stamp
    let frontier: [Dot]
    let operationCount: Int
  }

  mutating func head(_ reader: inout Reader) throws(WireError) -> ChangeHead {
    let start = reader.offset
    let flags = ChangeFlags(rawValue: try reader.byte())
    guard !flags.has(ChangeFlags.reserved) else {
      throw reader.error(.malformed, "A change begins with \(flags.rawValue), which has an unknown flag", at: start)
    }
    let writer = try readWriter(flags, &reader)
    let firstCounter = try readFirstCounter(flags, writer: writer, &reader)
    stamp = try readStamp(flags, &reader)
    let frontier = flags.has(ChangeFlags.frontierGiven) ? try readFrontier(&reader) : []
    let count = flags.has(ChangeFlags.countGiven) ? try readOperationCount(&reader) : 1
    try reader.spendOperations(count, at: start)
    return ChangeHead(
      flags: flags, writer: writer, firstCounter: firstCounter, stamp: stamp, frontier: frontier, operationCount: count)
  }

  mutating func readWriter(_ flags: ChangeFlags, _ reader: inout Reader) throws(WireError) -> Int {
    if flags.has(ChangeFlags.writerGiven) {
      let number = try replica(&reader)
      writer = number
      return number
    }
    guard let writer else {
      throw reader.error(.unknownIndex, "A change names no writer, and none wrote before it", at: reader.offset - 1)
    }
    return writer
  }

  @inline(__always)
  func readFirstCounter(
    _ flags: ChangeFlags, writer: Int, _ reader: inout Reader
  ) throws(WireError) -> UInt64 {
    let start = reader.offset
    var counter = replicas[writer].counter + 1
    if flags.has(ChangeFlags.counterGiven) {
      counter = counter &+ UInt64(bitPattern: try reader.signedVarint())
    }
    return try reader.checkedCounter(counter, at: start)
  }

  @inline(__always)
  func readStamp(_ flags: ChangeFlags, _ reader: inout Reader) throws(WireError) -> Stamp {
    let start = reader.offset
    switch flags.rawValue & ChangeFlags.stampMask {
    case StampForm.successor: return Stamp(rawValue: stamp.rawValue &+ 1)
    case StampForm.same: return stamp
    case StampForm.laterMillisecond: return try laterStamp(reader.varint(), logical: 0, at: start, &reader)
    default:
      let difference = UInt64(bitPattern: try reader.signedVarint())
      return try laterStamp(difference, logical: reader.varint(), at: start, &reader)
    }
  }

  /// - Parameter milliseconds: how many later than the previous one, as a 64-bit sum.
  func laterStamp(
    _ milliseconds: UInt64, logical: UInt64, at start: Int, _ reader: inout Reader
  ) throws(WireError) -> Stamp {
    let sum = stamp.milliseconds &+ milliseconds
    guard sum <= 0xFFFF_FFFF_FFFF, logical <= 0xFFFF else {
      throw reader.error(.malformed, "A stamp does not fit 48 and 16 bits", at: start)
    }
    return Stamp(rawValue: sum << 16 | logical)
  }

  mutating func readFrontier(_ reader: inout Reader) throws(WireError) -> [Dot] {
    let start = reader.offset
    let dots = try readDots(&reader)
    for place in dots.indices.dropFirst() where dots[place] <= dots[place - 1] {
      throw reader.error(.outOfOrder, "The dots of a frontier do not ascend", at: start)
    }
    return dots
  }

  func readOperationCount(_ reader: inout Reader) throws(WireError) -> Int {
    let start = reader.offset
    let count = try reader.count(atMost: reader.limits.operationCountMax, ofSize: 1)
    guard count >= 2 else {
      throw reader.error(.overlong, "A change spells out that it has \(count) operations", at: start)
    }
    return count
  }

  mutating func readMore(into listing: inout Listing, _ reader: inout Reader) throws(WireError) -> String? {
    let start = reader.offset
    let more = try reader.byte()
    guard more != 0, more & ~ChangeMore.known == 0 else {
      throw reader.error(.malformed, "The end of a change begins with \(more), which has an unknown flag", at: start)
    }
    var message: String?
    if more & ChangeMore.message != 0 {
      message = try reader.string(byteCount: reader.byteCount(atMost: reader.limits.textByteCountMax))
    }
    if more & ChangeMore.objects != 0 { listing.definitions = try readDefinitions(&reader) }
    return message
  }

  private mutating func readDefinitions(_ reader: inout Reader) throws(WireError) -> [ObjectDefinition] {
    let place = reader.offset
    let count = try reader.count(atMost: reader.limits.definitionCountMax, ofSize: 1)
    try reader.spendDefinitions(count, at: place)
    var definitions: [ObjectDefinition] = []
    definitions.reserveCapacity(count)
    for _ in 0..<count {
      let start = reader.offset
      guard let definition = objects[try object(&reader)].chain.last else {
        throw reader.error(.malformed, "A listed object has no definition", at: start)
      }
      definitions.append(definition)
    }
    return definitions
  }

  // MARK: Operations

  /// - Parameter counter: the operation's; moved on to that of the next one.
  private mutating func operation(
    named counter: inout UInt64, by writer: Int, listing: inout Listing, _ reader: inout Reader
  ) throws(WireError) -> Operation {
    let start = reader.offset
    let head = try reader.byte()
    let named = counter
    try checkCounter(named, at: start, &reader)
    replicas[writer].counter = max(replicas[writer].counter, named)
    counter += 1
    if head & SequenceHead.flag != 0 {
      let operation = try sequenceOperation(head, named: named, by: writer, at: start, listing: &listing, &reader)
      counter = named + operation.counterCount
      return operation
    }
    if head & OperationHead.slotMask == OperationHead.slotPassing {
      return try passingOperation(head, named: named, by: writer, at: start, listing: &listing, &reader)
    }
    let slot = try readSlot(head, at: start, &reader)
    self.slot = slot
    try claimChain(of: slots[slot].object, at: start, listing: &listing, &reader)
    var last = slots[slot].last
    let action = try readAction(head, named: named, by: writer, last: &last, at: start, &reader)
    slots[slot].last = last
    return Operation(
      object: slots[slot].objectID, key: slots[slot].key, hint: SlotHint(slot), action: action)
  }

  @inline(__always)
  func checkCounter(_ counter: UInt64, at start: Int, _ reader: inout Reader) throws(WireError) {
    guard counter <= counterMax else {
      throw reader.error(.malformed, "The counters of a change pass 2^63 - 1", at: start)
    }
  }

  /// Reads what follows the slot.
  ///
  /// - Parameter last: the slot's *last*, before and after.
  @inline(__always)
  mutating func readAction(
    _ head: UInt8, named counter: UInt64, by writer: Int, last: inout LiveEncoder.SlotEntry.Last, at start: Int,
    _ reader: inout Reader
  ) throws(WireError) -> Action {
    switch head & OperationHead.actionMask {
    case OperationHead.set:
      let replaced = try readReplaced(head, last: last, at: start, &reader)
      let clearing = try readClearing(head, &reader)
      last = LiveEncoder.SlotEntry.Last(replica: writer, counter: counter)
      return .set(try reader.value(), replacing: replaced, clearing: clearing)
    case OperationHead.remove:
      let replaced = try readReplaced(head, last: last, at: start, &reader)
      last = LiveEncoder.SlotEntry.nothing
      return .remove(replacing: replaced, clearing: try readClearing(head, &reader))
    case OperationHead.increment:
      let birth = try readBirth(head, named: counter, by: writer, last: last, at: start, &reader)
      last = LiveEncoder.SlotEntry.Last(replica: writer, counter: birth)
      return .increment(try reader.signedVarint(), birth: birth)
    default: throw unknownOperation(head, at: start, reader)
    }
  }

  func unknownOperation(_ head: UInt8, at start: Int, _ reader: Reader) -> WireError {
    reader.error(.malformed, "No operation begins with \(head)", at: start)
  }

  mutating func readSlot(_ head: UInt8, at start: Int, _ reader: inout Reader) throws(WireError) -> Int {
    switch head & OperationHead.slotMask {
    case OperationHead.slotNumber:
      let place = reader.offset
      let number = try reader.varint()
      guard number < UInt64(slots.count) else {
        throw reader.error(.unknownIndex, "Slot \(number) is named and \(slots.count) are known", at: place)
      }
      return Int(number)
    case OperationHead.slotNext:
      guard slot + 1 < slots.count else {
        throw reader.error(.unknownIndex, "Slot \(slot + 1) is named and \(slots.count) are known", at: start)
      }
      return slot + 1
    case OperationHead.slotNew:
      let object = try object(&reader)
      let key = try tableKey(&reader, in: .stream)
      slots.append(LiveDecoder.SlotEntry(object: object, objectID: objects[object].id, key: key))
      load.slots += 1
      return slots.count - 1
    default: throw unknownOperation(head, at: start, reader)
    }
  }

  mutating func readReplaced(
    _ head: UInt8, last: LiveEncoder.SlotEntry.Last, at start: Int, _ reader: inout Reader
  ) throws(WireError) -> DotSet {
    switch head & OperationHead.priorMask {
    case OperationHead.noPrior: return DotSet()
    case OperationHead.tablePrior:
      try requireKnown(last, at: start, &reader)
      return DotSet(Dot(replicas[last.replica].id, last.counter))
    case OperationHead.listedPrior: return DotSet(try readDots(&reader))
    default: throw unknownOperation(head, at: start, reader)
    }
  }

  func readBirth(
    _ head: UInt8, named counter: UInt64, by writer: Int, last: LiveEncoder.SlotEntry.Last, at start: Int,
    _ reader: inout Reader
  ) throws(WireError) -> UInt64 {
    guard head & OperationHead.clearing == 0 else { throw unknownOperation(head, at: start, reader) }
    switch head & OperationHead.priorMask {
    case OperationHead.noPrior: return counter
    case OperationHead.tablePrior:
      try requireKnown(last, at: start, &reader)
      guard last.replica == writer, last.counter < counter else {
        throw reader.error(.malformed, "A share is continued that its writer did not begin", at: start)
      }
      return last.counter
    case OperationHead.listedPrior:
      let place = reader.offset
      let distance = try reader.varint()
      guard distance >= 1, distance < counter else {
        throw reader.error(.malformed, "A share begins \(distance) operations before number \(counter)", at: place)
      }
      return counter - distance
    default: throw unknownOperation(head, at: start, reader)
    }
  }

  func requireKnown(
    _ last: LiveEncoder.SlotEntry.Last, at start: Int, _ reader: inout Reader
  ) throws(WireError) {
    guard last != LiveEncoder.SlotEntry.nothing else {
      throw reader.error(.unknownIndex, "The last dot of a slot is named and none is known", at: start)
    }
  }

  mutating func readClearing(_ head: UInt8, _ reader: inout Reader) throws(WireError) -> VersionVector? {
    guard head & OperationHead.clearing != 0 else { return nil }
    let start = reader.offset
    let dots = try readDots(&reader)
    for place in dots.indices.dropFirst() where dots[place].replica <= dots[place - 1].replica {
      throw reader.error(.outOfOrder, "The replicas of a version do not ascend", at: start)
    }
    return VersionVector(dots.map { VersionVector.Entry(replica: $0.replica, counter: $0.counter) })
  }

  // MARK: Dots

  mutating func readDots(_ reader: inout Reader) throws(WireError) -> [Dot] {
    let place = reader.offset
    let count = try reader.count(atMost: reader.limits.dotCountMax, ofSize: 2)
    try reader.spendDots(count, at: place)
    var dots: [Dot] = []
    dots.reserveCapacity(count)
    for _ in 0..<count { dots.append(try dot(&reader)) }
    return dots
  }

  mutating func dot(_ reader: inout Reader) throws(WireError) -> Dot {
    let (number, counter) = try numberedDot(&reader)
    return Dot(replicas[number].id, counter)
  }

  /// A dot by the number of its replica.
  mutating func numberedDot(_ reader: inout Reader) throws(WireError) -> (replica: Int, counter: UInt64) {
    let number = try replica(&reader)
    return (number, try counter(of: number, &reader))
  }

  mutating func counter(of replica: Int, _ reader: inout Reader) throws(WireError) -> UInt64 {
    let start = reader.offset
    let known = replicas[replica].counter
    let counter = try reader.checkedCounter(known &+ UInt64(bitPattern: reader.signedVarint()), at: start)
    replicas[replica].counter = max(known, counter)
    return counter
  }

  mutating func replica(_ reader: inout Reader) throws(WireError) -> Int {
    let start = reader.offset
    return try replica(numbered: reader.varint(), at: start, &reader)
  }

  /// Reads the replica where `number` is that of a new one.
  mutating func replica(numbered number: UInt64, at start: Int, _ reader: inout Reader) throws(WireError) -> Int {
    guard number <= UInt64(replicas.count) else {
      throw reader.error(.unknownIndex, "Replica \(number) is named and \(replicas.count) are known", at: start)
    }
    if number == UInt64(replicas.count) {
      replicas.append(LiveEncoder.ReplicaEntry(id: ReplicaID(rawValue: try reader.fixed64()), counter: 0))
      load.replicas += 1
    }
    return Int(number)
  }
}
