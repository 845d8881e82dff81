import StarlingCore

// What is said of a group's members.

extension FrameExplainer {
  static func members(_ reader: inout Reader, _ notes: inout FrameNotes) throws(WireError) {
    notes.say(reader.offset, "members: the daemons of the group that the sender knows")
    let count = try reader.count(atMost: Message.Member.countMax, ofSize: 13)
    notes.say(reader.offset, "\(count) of them")
    for _ in 0..<count {
      let store = StoreID(rawValue: try reader.fixed64())
      notes.say(reader.offset, "store \(store)")
      let incarnation = try reader.varint()
      notes.say(reader.offset, "its incarnation: \(incarnation)")
      let beat = try reader.varint()
      notes.say(reader.offset, "its beat: \(beat)")
      let quiet = try reader.varint()
      notes.say(reader.offset, "first heard by the sender \(quiet) ms ago")
      let flags = try reader.byte()
      let tier = Message.Member.Tier(rawValue: flags & MemberFlag.tier).map { "\($0)" } ?? "unknown"
      let hasLeft = flags & MemberFlag.hasLeft != 0
      notes.say(reader.offset, "flags \(Words.binary(flags)): tier \(tier)\(hasLeft ? ", has left" : "")")
      try endpoints(&reader, &notes)
    }
  }

  private static func endpoints(_ reader: inout Reader, _ notes: inout FrameNotes) throws(WireError) {
    let count = try reader.count(atMost: Message.Member.endpointCountMax, ofSize: 1)
    notes.say(reader.offset, "\(count) endpoints at which it may be dialled")
    for _ in 0..<count {
      let endpoint = try reader.string(byteCount: reader.byteCount(atMost: Message.Member.endpointByteCountMax))
      notes.say(reader.offset, "endpoint \(Words.quoted(endpoint))")
    }
  }
}
