import Measuring
import StarlingCore
import StarlingWire

extension Case {
  static let states: [Case] = [
    Case("document-state-bytes-100k") {
      var writer = Writer()
      for write in Workload.writes(100_000) { _ = writer.set(write) }
      return [Figure("document-state-bytes-100k", .bytes, Sample(exactly: Double(writer.stateByteCount)))]
    },

    Case("document-state-bytes-10m") {
      var notes: [String] = []
      var byteCount = 0
      for keyCount in [1, 1000] {
        var writer = Writer()
        var workload = Workload(keyCount: keyCount)
        let before = Memory.resident
        for million in 1...10 {
          for number in 0..<1_000_000 {
            if number % 100 == 0 { writer.now += 1 }
            _ = writer.set(workload.next())
          }
          guard [1, 5, 10].contains(million) else { continue }
          let grown = Double(Memory.resident - before) / 1e6
          byteCount = writer.stateByteCount
          notes.append(
            "\(million) million sets over \(keyCount) keys: state \(byteCount) B, resident memory +\(grown.shortened) MB"
          )
        }
      }
      return [Figure("document-state-bytes-10m", .bytes, Sample(exactly: Double(byteCount)), notes: notes)]
    },

    Case("document-keys-100k-file", "document-keys-100k-open", "document-keys-100k-first-get") {
      var writer = Writer()
      var patch = Patch()
      writer.document.begin(as: writer.replica, now: writer.now)
      for number in 0..<100_000 {
        let value = number % 2 == 1 ? Value.integer(Int64(number)) : .string("value\(number)")
        writer.document.set(value, for: .name("key\(number)"), in: .root, patch: &patch)
      }
      _ = writer.document.commit()
      let file = SnapshotCoding.encode(writer.document.snapshot())
      var opened = Document()
      let open = try Sampling.sample(in: .milliseconds) {
        try Sampling.computing { opened = try SnapshotCoding.open(file) }
      }
      let get = Sampling.sample(in: .microseconds) {
        // A copy that nobody has read from.
        let fresh = opened
        return Sampling.time { consume(fresh.visible("key777", in: .root)) }
      }
      guard case .value(.integer(777), _) = opened.visible("key777", in: .root) else {
        preconditionFailure("key777 reads \(opened.visible("key777", in: .root))")
      }
      return [
        Figure("document-keys-100k-file", .bytes, Sample(exactly: Double(file.count))),
        Figure("document-keys-100k-open", .milliseconds, open),
        Figure("document-keys-100k-first-get", .microseconds, get),
      ]
    },
  ]
}

extension Writer {
  fileprivate var stateByteCount: Int { SnapshotCoding.encode(document.snapshot()).count }
}
