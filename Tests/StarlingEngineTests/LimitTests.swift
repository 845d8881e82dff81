import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `What is as large as may be` {
  let world = World()

  /// Two nodes; what `write` refused, and whether what it wrote reached the other.
  private func travels(
    _ write: @Sendable (inout Document, inout Patch) -> Void
  ) throws -> (refusal: OversizedWrite?, arrived: Bool, other: DocumentHandle) {
    let left = try world.node("left", dialling: ["right"])
    let right = try world.node("right", dialling: ["left"])
    let (here, there) = (try left.open(), try right.open())
    world.run(for: .seconds(1))
    // Something small goes ahead, which must not make the frame too large for both.
    here.set(6, for: "before")
    here.beginTransaction()
    let refusal = here.write { document, patch in
      write(&document, &patch)
      return document.takeRefusal()
    }
    here.endTransaction(message: String(repeating: "m", count: ChangeLimits.messageByteCountMax))
    here.set(7, for: "after")
    let arrived = world.run { there.version == here.version }
    #expect(try left.counters.undelivered == 0)
    // Also to one who comes later, out of the log.
    let late = try world.node("late", dialling: ["left"])
    let thirdHandle = try late.open()
    #expect(world.run { thirdHandle.version == here.version })
    return (refusal, arrived, there)
  }

  @Test func `reaches a peer: a value`() throws {
    let capacity = ChangeLimits.byteCountMax - 256
    let (refusal, arrived, there) = try travels { document, patch in
      document.set(.bytes([UInt8](repeating: 1, count: capacity)), for: "title", in: .root, patch: &patch)
    }
    #expect(refusal == nil)
    #expect(arrived)
    #expect(there.value(of: "title") == .bytes([UInt8](repeating: 1, count: capacity)))
  }

  @Test func `reaches a peer: a transaction of large values, and of it what fitted`() throws {
    let (refusal, arrived, there) = try travels { document, patch in
      for key in 0..<100 as Range<Int64> {
        document.set(.bytes([UInt8](repeating: 1, count: 1 << 18)), for: .integer(key), in: .root, patch: &patch)
      }
    }
    #expect(refusal?.part == .transactionBytes)
    #expect(arrived)
    #expect(there.value(of: .integer(61)) != nil)
    #expect(there.value(of: .integer(62)) == nil)
  }

  @Test func `reaches a peer: a key, and an object`() throws {
    let key = Key.name(String(repeating: "k", count: ChangeLimits.keyByteCountMax))
    let (refusal, arrived, there) = try travels { document, patch in
      var object = ObjectID.root
      for _ in 0..<ChangeLimits.nestingDepthMax { object = document.declare(.map, for: key, in: object) }
      document.set(.bool(true), for: key, in: object, patch: &patch)
      document.set(.bool(true), for: key, in: .root, patch: &patch)
    }
    #expect(refusal == nil)
    #expect(arrived)
    #expect(there.value(of: key) == .bool(true))
  }

  @Test func `is all that travels: what is larger was never written`() throws {
    let (refusal, arrived, there) = try travels { document, patch in
      document.set(.integer(1), for: "title", in: .root, patch: &patch)
      let tooLarge = [UInt8](repeating: 1, count: ChangeLimits.byteCountMax)
      document.set(.bytes(tooLarge), for: "title", in: .root, patch: &patch)
    }
    #expect(refusal?.part == .value)
    #expect(arrived)
    #expect(there.value(of: "title") == .integer(1))
  }
}
