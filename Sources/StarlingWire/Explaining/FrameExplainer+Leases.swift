import StarlingCore

// Leased replica ids, in words.
extension FrameExplainer {
  static func lease(_ reader: inout Reader, _ notes: inout FrameNotes) throws(WireError) {
    switch try reader.byte() {
    case LeaseWord.ask: notes.say(reader.offset, "the sender asks for one")
    case LeaseWord.goOn: try grant("the sender holds one since an earlier connection", &reader, &notes)
    case LeaseWord.giveBack: try grant("the sender gives one back", &reader, &notes)
    default: break
    }
  }

  static func leased(_ reader: inout Reader, _ notes: inout FrameNotes) throws(WireError) {
    switch try reader.byte() {
    case LeaseWord.granted: try grant("it is granted", &reader, &notes)
    case LeaseWord.nothing: notes.say(reader.offset, "nothing is granted, or the lease is not known")
    case LeaseWord.over: try grant("the lease is over: the id has been leased again", &reader, &notes)
    case LeaseWord.returned: try grant("it has been given back", &reader, &notes)
    default: break
    }
  }

  private static func grant(
    _ what: String, _ reader: inout Reader, _ notes: inout FrameNotes
  ) throws(WireError) {
    notes.say(reader.offset, what)
    let replica = ReplicaID(rawValue: try reader.fixed64())
    notes.say(reader.offset, "replica \(replica)")
    let number = try reader.varint()
    notes.say(reader.offset, "its lease number \(number)")
    let counter = try reader.varint()
    notes.say(reader.offset, "which goes on from, or ends at, \(counter)")
  }
}
