import StarlingCore

// What is said of whose a replica id is.

extension FrameExplainer {
  static func writers(_ reader: inout Reader, _ notes: inout FrameNotes) throws(WireError) {
    notes.say(reader.offset, "writers: whose replica ids are, as far as the sender knows")
    let count = try reader.count(atMost: WriterBinding.countMax, ofSize: 11)
    notes.say(reader.offset, "\(count) of them")
    for _ in 0..<count {
      let replica = ReplicaID(rawValue: try reader.fixed64())
      notes.say(reader.offset, "replica \(replica)")
      let name = try reader.string(byteCount: reader.byteCount(atMost: WriterBinding.nameByteCountMax))
      notes.say(reader.offset, "written by \(Words.quoted(name))")
      let boundAt = try reader.varint()
      notes.say(reader.offset, "since \(boundAt) ms after 1970-01-01 UTC")
    }
  }

  static func disown(_ reader: inout Reader, _ notes: inout FrameNotes) throws(WireError) {
    notes.say(reader.offset, "disown: the receiver writes under a replica id that is somebody else's")
    try document(&reader, &notes)
    let replica = ReplicaID(rawValue: try reader.fixed64())
    notes.say(reader.offset, "replica \(replica)")
  }
}
