import Measuring
import StarlingCore

extension Case {
  static let memory: [Case] = [
    Case("register-bytes") {
      let objectCount = 10_000
      let keys: [Key] = (0..<10).map { .name("field\($0)") }
      let before = Memory.allocated
      var document = Document()
      var patch = Patch()
      var objects: [ObjectID] = []
      objects.reserveCapacity(objectCount)
      let idBytes = Memory.allocated - before
      // A thousand replicas write every register twice over, so that none has its first value.
      for round in 0..<2 {
        for number in 0..<objectCount {
          let replica = ReplicaID(rawValue: UInt64(number % 1000 + 1) &* 0x9E37_79B9_7F4A_7C15)
          document.begin(as: replica, now: 1_800_000_000_000 + UInt64(number))
          if round == 0 { objects.append(document.declare(.map, for: .integer(Int64(number)), in: .root)) }
          for (place, key) in keys.enumerated() {
            document.set(.integer(Int64(number + place + round)), for: key, in: objects[number], patch: &patch)
          }
          _ = document.commit()
          patch = Patch()
        }
      }
      let allocated = Memory.allocated - before - idBytes
      precondition(document.version.entries.count == 1000)
      let registerCount = objectCount * keys.count
      return [
        Figure(
          "register-bytes", .bytes, Sample(exactly: Double(allocated) / Double(registerCount)),
          notes: ["\(registerCount) registers in \(objectCount) objects, those and the keys included"])
      ]
    }
  ]
}
