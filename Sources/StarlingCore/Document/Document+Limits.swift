// What is too large for any peer is refused before it is written: the change that is open keeps its weight.
extension Document {
  /// The first write since the last call that was refused for its size, if one was. It was not made.
  public mutating func takeRefusal() -> OversizedWrite? {
    guard hasRefusal else { return nil }
    defer { open.refusal = nil }
    return open.refusal
  }

  /// Whether there is one to take.
  @inlinable
  package var hasRefusal: Bool {
    // To compare it with nil would copy it.
    if case .none = open.refusal { false } else { true }
  }

  /// Why something of this weight cannot be written under `key` as part of the change that is open; nil
  /// where it fits. For those who write several operations or none.
  package func refusal(of weight: ChangeWeight, under key: Key, in object: ObjectID) -> OversizedWrite? {
    if let excess = weight.excess {
      return OversizedWrite(excess.part, object: object, key: excess.key, size: excess.size, limit: excess.limit)
    }
    let byteCount = openWeight + weight.byteCount
    if byteCount > ChangeLimits.byteCountMax {
      return OversizedWrite(
        .transactionBytes, object: object, key: key, size: byteCount, limit: ChangeLimits.byteCountMax)
    }
    let operationCount = openOperationCount + weight.operationCount
    guard operationCount > ChangeLimits.operationCountMax else { return nil }
    return OversizedWrite(
      .transactionOperations, object: object, key: key, size: operationCount, limit: ChangeLimits.operationCountMax)
  }

  /// Whether a text of so many bytes, put in place of others, leaves the open change far from its limits. Mutating, as
  /// what is not is handed a copy of the document.
  package mutating func hasCapacityForText(of utf8Count: Int) -> Bool {
    openWeight + utf8Count < ChangeLimits.byteCountMax / 2 && openOperationCount < ChangeLimits.operationCountMax / 2
  }

  /// Bytes that the open change takes at most, its message left out.
  @inlinable @inline(__always)
  package var openWeight: Int { open.byteCount + ChangeWeight.change + frontier.count * ChangeWeight.dot }

  /// Operations of the open change, as a reader counts them.
  @inline(__always)
  private var openOperationCount: Int { open.operations.count + open.insertedValueCount }

  /// Counts one more operation in the open change, or notes why it is refused.
  ///
  /// - Parameter payload: the weight of what it carries beside the dots that it names.
  /// - Parameter isNamed: whether an operation of this change named the slot before.
  /// - Parameter values: how many values it inserts into a list.
  /// - Parameter adds: whether it may add something to the document, rather than take something away.
  /// - Returns: whether the operation may be written.
  /// - Complexity: O(1), and once for each object and change O(derived objects that it stands in).
  @inline(__always)
  mutating func admit(
    _ payload: Int, under key: Key, in object: ObjectHandle, dots: Int, isNamed: Bool, values: Int = 0,
    adds: Bool = true
  ) -> Bool {
    let weight =
      isNamed
      ? ChangeWeight.operationAgain + payload : ChangeWeight.operation + key.weight + payload + dots * ChangeWeight.dot
    let definitions = weighDefinitions(of: object)
    if key.weight <= ChangeLimits.keyByteCountMax, definitions.isLight,
      openWeight + weight + definitions.byteCount <= ChangeLimits.byteCountMax,
      openOperationCount + values < ChangeLimits.operationCountMax,
      open.definitionCount + definitions.count <= ChangeLimits.definitionCountMax,
      open.lastCounter < ChangeLimits.counterMax,
      !adds || capacity.take(1 + values)
    {
      open.byteCount += weight + definitions.byteCount
      open.insertedValueCount += values
      open.definitionCount += definitions.count
      return true
    }
    return admitCarefully(weight, payload, under: key, in: object, values: values, adds: adds)
  }

  /// Whether the slot's entries are one that the open change itself put there: then that change named it.
  @inline(__always)
  func isNamedByOpenChange(_ replacing: DotSet) -> Bool {
    guard replacing.count == 1, let dot = replacing.first else { return false }
    return dot.replica == open.replica && dot.counter >= open.firstCounter
  }

  /// An operation that comes near a limit.
  @inline(never)
  private mutating func admitCarefully(
    _ weight: Int, _ payload: Int, under key: Key, in object: ObjectHandle, values: Int, adds: Bool
  ) -> Bool {
    guard open.lastCounter < ChangeLimits.counterMax else {
      refuse(.counters, under: key, in: object, size: Int(clamping: open.lastCounter), limit: .max)
      return false
    }
    if adds, !takeCapacity(1 + values) {
      refuse(.document, under: key, in: object, size: capacity.entryCount, limit: capacity.entryCountMax)
      return false
    }
    let definitions = weighDefinitions(of: object)
    let byteCount = openWeight + weight + definitions.byteCount
    let valueByteCountMax = ChangeLimits.byteCountMax - ChangeWeight.change - ChangeWeight.operation - key.weight
    let checks: [(part: OversizedWrite.Part, size: Int, limit: Int)] = [
      (.key, max(key.byteCount, definitions.keyByteCountMax), ChangeLimits.keyByteCountMax),
      (.depth, definitions.depth, ChangeLimits.nestingDepthMax),
      (.value, payload, valueByteCountMax),
      (.transactionBytes, byteCount, ChangeLimits.byteCountMax),
      (.transactionOperations, openOperationCount + 1 + values, ChangeLimits.operationCountMax),
      (.transactionObjects, open.definitionCount + definitions.count, ChangeLimits.definitionCountMax),
    ]
    if let failed = checks.first(where: { $0.size > $0.limit }) {
      refuse(failed.part, under: key, in: object, size: failed.size, limit: failed.limit)
      return false
    }
    open.byteCount += weight + definitions.byteCount
    open.insertedValueCount += values
    open.definitionCount += definitions.count
    return true
  }

  mutating func refuse(_ part: OversizedWrite.Part, under key: Key, in object: ObjectHandle, size: Int, limit: Int) {
    let refusal = OversizedWrite(part, object: objects[object].id, key: key, size: size, limit: limit)
    open.refusal = open.refusal ?? refusal
  }

  /// What naming the object costs the open change.
  @inline(__always)
  private mutating func weighDefinitions(of object: ObjectHandle) -> DefinitionWeight {
    if objects[object].touched == open.number { return DefinitionWeight() }
    return weighUnlistedDefinitions(of: object)
  }

  @inline(never)
  private mutating func weighUnlistedDefinitions(of object: ObjectHandle) -> DefinitionWeight {
    guard objects[object].isDerived else { return DefinitionWeight(depth: 0) }
    // The change names nothing yet, and its first object is mostly that of the change before.
    if open.operations.isEmpty, latestChain.object == objects[object].id { return latestChain.weight }
    markListed()
    let depth = depth(of: object)
    var weight = DefinitionWeight(depth: depth)
    var (place, ancestor) = (depth, object)
    while place > 0, objects[ancestor].touched != open.number {
      place -= 1
      let slot = objects[ancestor].slot
      weight.add(keys[slots[slot].key], at: place)
      ancestor = slots[slot].object
    }
    return weight
  }

  /// How many derived objects the object is the innermost of.
  private mutating func depth(of object: ObjectHandle) -> Int {
    var depth = 0
    var ancestor = object
    while objects[ancestor].isDerived {
      depth += 1
      ancestor = slots[objects[ancestor].slot].object
    }
    return depth
  }
}

/// What naming an object costs the open change, where it has not named it yet.
struct DefinitionWeight: Sendable {
  private(set) var byteCount = 0
  /// As a reader counts: each with those that it stands in, twice more for being listed and implied.
  private(set) var count = 0
  private(set) var depth = 0
  private(set) var keyByteCountMax = 0

  /// Of an object that the change has named.
  @inline(__always) init() {}

  /// Of an object that stands in so many derived ones, itself counted. The change has named each of them.
  init(depth: Int) {
    byteCount = ChangeWeight.object
    self.depth = depth
  }

  /// Of the last of those definitions. The change has named none of them.
  init(_ chain: [ObjectDefinition]) {
    self.init(depth: chain.count)
    for place in chain.indices { add(chain[place].key, at: place) }
  }

  /// One more that it has not named, and that stands in so many others.
  @inline(__always)
  mutating func add(_ key: Key, at place: Int) {
    byteCount += ChangeWeight.definition + key.weight
    count += place + 3
    keyByteCountMax = max(keyByteCountMax, key.byteCount)
  }

  /// Whether peers take the chain, whatever else the change names.
  @inline(__always) var isLight: Bool {
    keyByteCountMax <= ChangeLimits.keyByteCountMax && depth <= ChangeLimits.nestingDepthMax
  }
}
