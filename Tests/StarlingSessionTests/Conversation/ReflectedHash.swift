import StarlingCore
import StarlingWire
@_spi(Reflection) import Swift

@testable import StarlingSession

/// A number for all that a value stores, found by reflection: two values that differ in any stored property have
/// different numbers, but for a collision of 64 bits, and equal ones have equal numbers, in whatever order their tables
/// stand.
///
/// ```
///   Hashable             as it says itself
///   struct               its fields, where they stand in memory
///   array                its elements, one after the other
///   dictionary           its entries, in any order
///   enum, tuple, class   what a mirror shows; of an enum its case too
/// ```
/// What is to be read of a type is found once and kept, so that a replica takes microseconds.
struct ReflectedHash {
  /// Hashes what stands at a place in memory.
  fileprivate typealias Reader = (UnsafeRawPointer, inout Hasher, inout ReflectedHash) -> Void

  /// Types that show nothing of themselves: two values of one would count as equal.
  private(set) var unseen: Set<String> = []
  private var readers: [ObjectIdentifier: Reader] = [:]
  /// Of long bytes, by where they stand. They are kept, so that nothing else comes to stand there.
  private var longBytes: [UnsafeRawPointer: (bytes: [UInt8], hash: Int)] = [:]

  private static let longByteCountMin = 1024

  mutating func hash<Value>(_ value: Value) -> Int {
    var hasher = Hasher()
    withUnsafePointer(to: value) { read(Value.self, at: $0, into: &hasher) }
    return hasher.finalize()
  }

  mutating func hash(bytes: [UInt8]) -> Int {
    guard bytes.count >= Self.longByteCountMin else { return Self.hash(atOnce: bytes) }
    let place = bytes.withUnsafeBytes { $0.baseAddress! }
    if let known = longBytes[place] { return known.hash }
    let hash = Self.hash(atOnce: bytes)
    longBytes[place] = (bytes, hash)
    return hash
  }

  /// An array hashes its elements one by one.
  private static func hash(atOnce bytes: [UInt8]) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes.count)
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }

  fileprivate mutating func read(_ type: any Any.Type, at place: UnsafeRawPointer, into hasher: inout Hasher) {
    reader(of: type)(place, &hasher, &self)
  }

  private mutating func reader(of type: any Any.Type) -> Reader {
    if let reader = readers[ObjectIdentifier(type)] { return reader }
    let reader = makeReader(of: type)
    readers[ObjectIdentifier(type)] = reader
    return reader
  }

  private mutating func makeReader(of type: any Any.Type) -> Reader {
    switch type {
    // They count without deciding anything.
    case is EngineCounters.Type, is DocumentSession.Statistics.Type: return { _, _, _ in }
    case is [UInt8].Type:
      return { $1.combine($2.hash(bytes: $0.assumingMemoryBound(to: [UInt8].self).pointee)) }
    case is DocumentCut.Type:
      return { $1.combine($2.hash(bytes: SnapshotCoding.encode($0.assumingMemoryBound(to: DocumentCut.self).pointee))) }
    // They hold bytes.
    case is LogRecord.Type:
      if let reader = makeReader(ofFieldsOf: type) { return reader }
      preconditionFailure("A record of a log is no struct any more.")
    case let type as any Listed.Type where type.holdsRecords: return type.read
    case let type as any Hashable.Type: return Self.leaf(type)
    case let type as any Listed.Type: return type.read
    default: return makeReader(ofFieldsOf: type) ?? Self.mirror(type)
    }
  }

  private static func leaf<Value: Hashable>(_ type: Value.Type) -> Reader {
    { place, hasher, _ in hasher.combine(place.assumingMemoryBound(to: Value.self).pointee) }
  }

  /// - Returns: nil for what has none.
  private mutating func makeReader(ofFieldsOf type: any Any.Type) -> Reader? {
    var fields: [(offset: Int, type: any Any.Type)] = []
    guard Self.isStruct(type) else { return nil }
    let isWhole = _forEachField(of: type) { _, offset, type, _ in
      fields.append((offset, type))
      return true
    }
    guard isWhole else { return nil }
    let readers = fields.map { (offset: $0.offset, read: reader(of: $0.type)) }
    return { place, hasher, reflected in
      for field in readers { field.read(place + field.offset, &hasher, &reflected) }
    }
  }

  private struct Box<Value> { var value: Value }

  /// What kind a field is of is told beside it.
  private static func isStruct<Value>(_ type: Value.Type) -> Bool {
    var isStruct = false
    _ = _forEachField(of: Box<Value>.self) { _, _, _, kind in
      isStruct = kind == .struct
      return true
    }
    return isStruct
  }

  private static func mirror<Value>(_ type: Value.Type) -> Reader {
    { place, hasher, reflected in
      let value = place.assumingMemoryBound(to: Value.self).pointee
      let mirror = Mirror(reflecting: value)
      switch mirror.displayStyle {
      // A case that holds nothing is told by its name alone.
      case .enum: hasher.combine(mirror.children.first?.label ?? "\(value)")
      case .class, .tuple: break
      default: reflected.unseen.insert("\(type)")
      }
      for child in mirror.children { reflected.read(any: child.value, into: &hasher) }
    }
  }

  private mutating func read(any value: Any, into hasher: inout Hasher) {
    func open<Value>(_ value: Value) { withUnsafePointer(to: value) { read(Value.self, at: $0, into: &hasher) } }
    _openExistential(value, do: open)
  }
}

// MARK: Tables

private protocol Listed {
  static var holdsRecords: Bool { get }
  static func read(_ place: UnsafeRawPointer, _ hasher: inout Hasher, _ reflected: inout ReflectedHash)
}

extension Listed where Self: Sequence {
  static var holdsRecords: Bool { Element.self == LogRecord.self }

  fileprivate static func readInOrder(
    _ place: UnsafeRawPointer, _ hasher: inout Hasher, _ reflected: inout ReflectedHash
  ) {
    var count = 0
    for element in place.assumingMemoryBound(to: Self.self).pointee {
      withUnsafePointer(to: element) { reflected.read(Element.self, at: $0, into: &hasher) }
      count += 1
    }
    hasher.combine(count)
  }
}

extension Array: Listed {
  fileprivate static func read(_ place: UnsafeRawPointer, _ hasher: inout Hasher, _ reflected: inout ReflectedHash) {
    readInOrder(place, &hasher, &reflected)
  }
}

extension ArraySlice: Listed {
  fileprivate static func read(_ place: UnsafeRawPointer, _ hasher: inout Hasher, _ reflected: inout ReflectedHash) {
    readInOrder(place, &hasher, &reflected)
  }
}

extension ContiguousArray: Listed {
  fileprivate static func read(_ place: UnsafeRawPointer, _ hasher: inout Hasher, _ reflected: inout ReflectedHash) {
    readInOrder(place, &hasher, &reflected)
  }
}

extension Dictionary: Listed {
  fileprivate static func read(_ place: UnsafeRawPointer, _ hasher: inout Hasher, _ reflected: inout ReflectedHash) {
    var sum = 0
    for (key, value) in place.assumingMemoryBound(to: Self.self).pointee {
      var entry = Hasher()
      entry.combine(key)
      withUnsafePointer(to: value) { reflected.read(Value.self, at: $0, into: &entry) }
      sum &+= entry.finalize()
    }
    hasher.combine(sum)
  }
}

extension Optional: Listed {
  fileprivate static var holdsRecords: Bool { false }

  fileprivate static func read(_ place: UnsafeRawPointer, _ hasher: inout Hasher, _ reflected: inout ReflectedHash) {
    let value = place.assumingMemoryBound(to: Self.self).pointee
    hasher.combine(value != nil)
    if let value { withUnsafePointer(to: value) { reflected.read(Wrapped.self, at: $0, into: &hasher) } }
  }
}

// MARK: Replicas

/// The stored properties of a value that no mirror shows, one after the other as they are declared.
private struct Fields {
  var hasher = Hasher()
  private var size = 0

  /// One on which nothing depends.
  mutating func pass<Value: ~Copyable>(_: Value.Type) {
    let alignment = MemoryLayout<Value>.alignment
    size = (size + alignment - 1) / alignment * alignment + MemoryLayout<Value>.size
  }

  mutating func combine<Value>(_ value: Value, _ reflected: inout ReflectedHash) {
    pass(Value.self)
    withUnsafePointer(to: value) { reflected.read(Value.self, at: $0, into: &hasher) }
  }

  /// Stops the program where one was left out, or two have changed places.
  func finalize<Value: ~Copyable>(_ type: Value.Type) -> Int {
    precondition(size == MemoryLayout<Value>.size, "Other properties are stored than those that are hashed.")
    return hasher.finalize()
  }
}

extension ReflectedHash {
  /// All of a replica on which depends what it does next.
  ///
  /// Passed over are how it was set up, the moment, which is set before anything is handed over, memory of encoders that
  /// is empty between two batches, what was taken from it by now, and counts for whoever watches.
  mutating func hash(_ replica: borrowing ValueReplica) -> Int {
    var fields = Fields()
    fields.pass(UInt64.self)  // name
    fields.pass(ValueReplica.Options.self)
    fields.pass(Replication.self)
    fields.hasher.combine(hash(replica.replication))
    // The whole state of the document; changes that wait to be merged are in the gate.
    fields.pass(Document.self)
    fields.hasher.combine(replica.content.version)
    fields.hasher.combine(hash(bytes: SnapshotCoding.encode(replica.content.cut())))
    fields.combine(replica.gate, &self)
    fields.combine(replica.outbox, &self)
    fields.combine(replica.number, &self)
    fields.combine(replica.writer, &self)
    fields.combine(replica.spare, &self)
    fields.combine(replica.log, &self)
    fields.combine(replica.allowlist, &self)
    fields.combine(replica.job, &self)
    fields.combine(replica.answers, &self)
    fields.combine(replica.readings, &self)
    fields.combine(replica.drawn, &self)
    fields.combine(replica.handleCount, &self)
    fields.combine(replica.waiterCount, &self)
    fields.pass([ValueReplica.Output].self)
    fields.pass([EngineEvent].self)
    fields.pass([(waiter: UInt64, isSo: Bool)].self)
    fields.pass(Int.self)  // messageCount
    return fields.finalize(ValueReplica.self)
  }

  private mutating func hash(_ replication: borrowing Replication) -> Int {
    var fields = Fields()
    fields.pass(Replication.Policy.self)
    fields.pass(Replication.Moment.self)
    fields.combine(replication.numbers, &self)
    fields.pass([Replication.Effect].self)
    fields.hasher.combine(replication.effects.count)
    fields.combine(replication.isOnline, &self)
    fields.combine(replication.identity, &self)
    fields.combine(replication.replica, &self)
    fields.combine(replication.spareReplica, &self)
    fields.combine(replication.connections, &self)
    fields.combine(replication.endpoints, &self)
    fields.combine(replication.membership, &self)
    fields.combine(replication.documents, &self)
    fields.combine(replication.asks, &self)
    fields.combine(replication.damaged, &self)
    fields.combine(replication.opening, &self)
    fields.combine(replication.closed, &self)
    fields.combine(replication.keptOpen, &self)
    fields.combine(replication.isClosing, &self)
    fields.combine(replication.returnDeadline, &self)
    fields.combine(replication.heartbeatRound, &self)
    fields.combine(replication.beating, &self)
    fields.combine(replication.pipeline, &self)
    fields.pass(Batch.Encoder.self)
    fields.combine(replication.waiters, &self)
    fields.combine(replication.confinedTo, &self)
    fields.combine(replication.hasShownLife, &self)
    fields.combine(replication.leaseReview, &self)
    fields.combine(replication.schedule, &self)
    fields.pass(EngineCounters.self)
    fields.pass((any Sendable)?.self)  // unsized
    return fields.finalize(Replication.self)
  }
}
