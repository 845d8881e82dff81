import StarlingCore
import Testing

@Suite struct `SipHash-2-4 with 128 bits` {
  /// The first sixteen of `vectors_sip128` of the reference implementation (github.com/veorq/SipHash,
  /// vectors.h), and the last: the results for the key 00 01 .. 0f and the messages 00 01 .. of lengths
  /// 0 to 15 and 63.
  static let vectors: [(length: Int, result: String)] = [
    (0, "a3817f04ba25a8e66df67214c7550293"),
    (1, "da87c1d86b99af44347659119b22fc45"),
    (2, "8177228da4a45dc7fca38bdef60affe4"),
    (3, "9c70b60c5267a94e5f33b6b02985ed51"),
    (4, "f88164c12d9c8faf7d0f6e7c7bcd5579"),
    (5, "1368875980776f8854527a07690e9627"),
    (6, "14eeca338b208613485ea0308fd7a15e"),
    (7, "a1f1ebbed8dbc153c0b84aa61ff08239"),
    (8, "3b62a9ba6258f5610f83e264f31497b4"),
    (9, "264499060ad9baabc47f8b02bb6d71ed"),
    (10, "00110dc378146956c95447d3f3d0fbba"),
    (11, "0151c568386b6677a2b4dc6f81e5dc18"),
    (12, "d626b266905ef35882634df68532c125"),
    (13, "9869e247e9c08b10d029934fc4b952f7"),
    (14, "31fcefac66d7de9c7ec7485fe4494902"),
    (15, "5493e99933b0a8117e08ec0f97cfc3d9"),
    (63, "5150d1772f50834a503e069a973fbd7c"),
  ]

  static let key = SipHash.Key(low: 0x0706_0504_0302_0100, high: 0x0f0e_0d0c_0b0a_0908)

  @Test(arguments: vectors)
  func `agrees with the published vectors`(_ length: Int, _ expected: String) {
    let message = (0..<length).map { UInt8($0) }
    var hasher = SipHash(key: Self.key)
    message.withUnsafeBytes { hasher.combine(bytes: $0) }
    #expect(spell(hasher) == expected)
  }

  @Test func `does not care in which pieces its input comes`() {
    let message = (0..<63).map { UInt8($0) }
    for first in 0..<20 {
      for second in 0..<20 {
        var hasher = SipHash(key: Self.key)
        message[..<first].withUnsafeBytes { hasher.combine(bytes: $0) }
        var rest = message[first...]
        for _ in 0..<second { hasher.combine(rest.removeFirst()) }
        let word = (0..<8).reduce(0 as UInt64) { $0 | UInt64(rest[first + second + $1]) << (8 * UInt64($1)) }
        hasher.combine(word)
        Array(rest.dropFirst(8)).withUnsafeBytes { hasher.combine(bytes: $0) }
        #expect(spell(hasher) == Self.vectors.last!.result)
      }
    }
  }

  private func spell(_ hasher: SipHash) -> String {
    let (first, second) = hasher.finish()
    var digits = ""
    for word in [first, second] {
      for place in 0..<8 {
        let byte = UInt8(truncatingIfNeeded: word >> (8 * UInt64(place)))
        digits += (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return digits
  }
}

@Suite struct `A derived object's id` {
  @Test func `is a function of parent, key and kind, and of each`() {
    let id = ObjectID.derived(parent: .root, key: "books", kind: .dictionary)
    #expect(id == .derived(parent: .root, key: .name("books"), kind: .dictionary))
    let others: [ObjectID] = [
      .derived(parent: id, key: "books", kind: .dictionary), .derived(parent: .root, key: "book", kind: .dictionary),
      .derived(parent: .root, key: .bytes(Array("books".utf8)), kind: .dictionary),
      .derived(parent: .root, key: "books", kind: .map), .derived(parent: .root, key: .integer(0), kind: .map),
      .derived(parent: .root, key: .bytes([0, 0, 0, 0, 0, 0, 0, 0]), kind: .map),
    ]
    #expect(Set(others + [id]).count == 7)
    #expect((others + [id]).allSatisfy { $0.isDerived })
  }

  @Test func `is the published one`() {
    #expect(spell(.derived(parent: .root, key: "books", kind: .dictionary)) == "7a2275a1dde51dfbf72756f39e7c57fd")
    #expect(
      spell(.derived(parent: .assigned(by: Dot(ReplicaID(rawValue: 7), 9)), key: .integer(-1), kind: .map))
        == "e2582fac7e92d1ceaf5a97bab911f55c")
    #expect(spell(.derived(parent: .root, key: .bytes([1, 2, 3]), kind: .set)) == "0cce2c711fb55588c8700ad66237dd8f")
  }

  private func spell(_ id: ObjectID) -> String { Digest(high: id.high, low: id.low).description }
}

@Suite struct `A digest` {
  @Test func `is spelled as thirty-two hexadecimal digits`() {
    #expect(Digest(high: 0xab, low: 1).description == "00000000000000ab0000000000000001")
  }

  @Test func `tells states apart`() throws {
    var group = Group(1)
    var digests: Set<Digest> = [Document().digest()]
    let values: [Value] = [
      .null, .bool(false), .bool(true), .integer(0), .unsigned(.max), .double(0), .double(-0.0), .string(""),
      .string("a"), .bytes([]), .bytes([97]), .json("0"), .date(0), .object(.map), .object(.set), .derived(.map),
      .reference(.root), .unknown(tag: 12, payload: []), .unknown(tag: 12, payload: [0]),
    ]
    for value in values {
      group = Group(1)
      group.set(0, "a", value)
      #expect(digests.insert(group.documents[0].digest()).inserted, "\(value)")
    }
    for key in ["b", .integer(97), .bytes([97])] as [Key] {
      group = Group(1)
      group.set(0, key, .null)
      #expect(digests.insert(group.documents[0].digest()).inserted, "\(key)")
    }
    group.remove(0, .bytes([97]))
    #expect(digests.insert(group.documents[0].digest()).inserted)
    group.increment(0, "a", by: 1)
    #expect(digests.insert(group.documents[0].digest()).inserted)
  }

  @Test func `is the published one`() {
    var document = Document()
    var patch = Patch()
    document.begin(as: ReplicaID(rawValue: 0x0102_0304_0506_0708), now: 1_000)
    document.set(.string("Dune"), for: "title", in: .root, patch: &patch)
    document.increment("copies", in: .root, by: -2, patch: &patch)
    _ = document.commit()
    #expect(document.digest().description == "14aae8a124992ddad11c197a032b79eb")
  }
}
