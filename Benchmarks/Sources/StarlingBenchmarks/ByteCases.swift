import Measuring
import StarlingCore
import StarlingWire

extension Case {
  static let bytes: [Case] = [
    Case("document-change-bytes", "frame-bytes") {
      var writer = Writer()
      var encoder = LiveEncoder()
      var payloadBytes = 0
      var frameBytes = 0
      var sequence: UInt64 = 0
      for write in Workload.writes(100_000) {
        writer.now += 1
        guard let change = writer.set(write) else { continue }
        var payload: [UInt8] = []
        encoder.encode(change, into: &payload)
        payloadBytes += payload.count
        frameBytes += PublishedFrame(topic: 1, stream: 1, sequence: sequence, payload: payload[...]).encoded().count
        sequence += 1
      }
      return [
        Figure("document-change-bytes", .bytes, Sample(exactly: Double(payloadBytes) / Double(sequence))),
        Figure(
          "frame-bytes", .bytes, Sample(exactly: Double(frameBytes) / Double(sequence)),
          notes: ["one change a millisecond; topic, sender and sequence included"]),
      ]
    },

    Case("frame-bytes-64") {
      var writer = Writer()
      var encoder = LiveEncoder()
      var payload: [UInt8] = []
      var changeCount = 0
      var frameBytes = 0
      var sequence: UInt64 = 0
      for write in Workload.writes(100_000 / 64 * 64) {
        guard let change = writer.set(write) else { continue }
        encoder.encode(change, into: &payload)
        changeCount += 1
        guard changeCount % 64 == 0 else { continue }
        frameBytes += PublishedFrame(topic: 1, stream: 1, sequence: sequence, payload: payload[...]).encoded().count
        payload = []
        sequence += 1
        writer.now += 1
      }
      return [
        Figure("frame-bytes-64", .bytes, Sample(exactly: Double(frameBytes) / Double(changeCount / 64 * 64)))
      ]
    },
  ]
}
