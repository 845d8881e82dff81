import Testing

@testable import StarlingCore

@Suite struct `A write beyond a limit` {
  private var document = Document()
  private var patch = Patch()

  init() {
    document.begin(as: Group.replica(0), now: 1)
  }

  private static func text(_ byteCount: Int) -> Value { .string(String(repeating: "x", count: byteCount)) }

  @Test mutating func `leaves the former value, and says what is too large`() throws {
    document.set(.integer(1), for: "title", in: .root, patch: &patch)
    document.set(Self.text(ChangeLimits.byteCountMax), for: "title", in: .root, patch: &patch)
    let taken = document.takeRefusal()
    let refusal = try #require(taken)
    #expect(refusal.part == .value)
    #expect(refusal.key == "title")
    #expect(refusal.size > refusal.limit)
    #expect(document.visible("title", in: .root) == .value(.integer(1), by: Dot(Group.replica(0), 1)))
    #expect(document.takeRefusal() == nil)
    #expect(document.commit()?.operations.count == 1)
  }

  @Test mutating func `is refused by the byte of a key`() throws {
    let fits = Key.name(String(repeating: "k", count: ChangeLimits.keyByteCountMax))
    document.set(.null, for: fits, in: .root, patch: &patch)
    #expect(document.takeRefusal() == nil)
    let tooLong = Key.bytes([UInt8](repeating: 0, count: ChangeLimits.keyByteCountMax + 1))
    document.set(.null, for: tooLong, in: .root, patch: &patch)
    document.increment(tooLong, in: .root, by: 1, patch: &patch)
    let taken = document.takeRefusal()
    let refusal = try #require(taken)
    #expect(refusal.part == .key)
    #expect((refusal.size, refusal.limit) == (65_537, 65_536))
    let within = document.declare(.map, for: tooLong, in: .root)
    document.set(.null, for: "title", in: within, patch: &patch)
    #expect(document.takeRefusal()?.part == .key)
    #expect(document.commit()?.operations.map(\.key) == [fits])
  }

  @Test mutating func `is refused by the step of a nesting`() {
    var object = ObjectID.root
    for depth in 1...65 as ClosedRange<Int64> {
      object = document.declare(.map, for: "inner", in: object)
      document.set(.integer(depth), for: "depth", in: object, patch: &patch)
      #expect(document.takeRefusal()?.part == (depth == 65 ? .depth : nil))
    }
    #expect(document.commit()?.operations.count == 64)
  }

  @Test mutating func `is refused by the byte of a transaction, whose other writes stand`() {
    var count: Int64 = 0
    var refusal: OversizedWrite?
    while refusal == nil {
      document.set(Self.text(1 << 20), for: .integer(count), in: .root, patch: &patch)
      refusal = document.takeRefusal()
      count += 1
    }
    #expect(refusal?.part == .transactionBytes)
    #expect(count == 16)
    // What is small still fits.
    document.set(Self.text(1000), for: "last", in: .root, patch: &patch)
    #expect(document.takeRefusal() == nil)
    #expect(document.commit()?.operations.count == 16)
    // The next one begins again.
    document.begin(as: Group.replica(0), now: 2)
    document.set(Self.text(1 << 20), for: "more", in: .root, patch: &patch)
    #expect(document.takeRefusal() == nil)
  }

  @Test mutating func `is refused by the operation`() {
    document.set(.null, for: "flag", in: .root, patch: &patch)
    // As if all but one had been written.
    let operation = Operation(object: .root, key: "flag", action: .remove(replacing: [], clearing: nil))
    document.open.operations = Array(repeating: operation, count: ChangeLimits.operationCountMax - 1)
    document.set(.bool(true), for: "flag", in: .root, patch: &patch)
    #expect(document.takeRefusal() == nil)
    document.set(.bool(false), for: "flag", in: .root, patch: &patch)
    #expect(document.takeRefusal()?.part == .transactionOperations)
    #expect(document.open.operations.count == ChangeLimits.operationCountMax)
  }

  @Test mutating func `is refused by the definition, as a reader counts those`() {
    let outer = document.declare(.map, for: "outer", in: .root)
    let inner = document.declare(.map, for: "inner", in: outer)
    let other = document.declare(.map, for: "other", in: .root)
    // As if all but seven had been counted: three of the outer object, and four of the inner one, which stands in it.
    document.open.definitionCount = ChangeLimits.definitionCountMax - 7
    document.set(.null, for: "flag", in: inner, patch: &patch)
    #expect(document.takeRefusal() == nil)
    document.set(.null, for: "flag", in: outer, patch: &patch)
    #expect(document.takeRefusal() == nil)
    document.set(.null, for: "flag", in: other, patch: &patch)
    #expect(document.takeRefusal()?.part == .transactionObjects)
    #expect(document.open.definitionCount == ChangeLimits.definitionCountMax)
    #expect(document.commit()?.operations.map(\.object) == [inner, outer])
  }

  @Test mutating func `is not made by a message, which is left out`() {
    document.set(.null, for: "title", in: .root, patch: &patch)
    let fits = String(repeating: "m", count: ChangeLimits.messageByteCountMax)
    #expect(document.commit(message: fits + "m").map { $0.message == nil } == true)
    document.begin(as: Group.replica(0), now: 2)
    document.set(.bool(true), for: "title", in: .root, patch: &patch)
    #expect(document.commit(message: fits)?.message == fits)
  }
}
