#if NATS
  import Testing

  @testable import StarlingNATS

  /// Members of two versions meet by them, so they are spelled out here.
  @Suite struct `Subjects of a group` {
    @Test func `say the first four bytes of a frame, or that it has fewer`() throws {
      let subjects = try Subjects(group: "library.one")
      #expect(subjects.published([0x61, 0x00, 0x9F, 0xF0, 0x65]) == "starling1.library/one.pub.61.00.9f.f0")
      #expect(subjects.published([0x0A]) == "starling1.library/one.pub.0a.-.-.-")
      #expect(subjects.published([]) == "starling1.library/one.pub.-.-.-.-")
      let member = MemberID(rawValue: 0xAB)
      #expect(
        subjects.published([1, 2, 3, 4], only: member) == "starling1.library/one.only.\(member.text).01.02.03.04")
    }

    @Test func `are heard from the bytes that a stem has`() throws {
      let subjects = try Subjects(group: "library")
      #expect(subjects.subscribed([]) == "starling1.library.pub.>")
      #expect(subjects.subscribed([0x61, 0x0B]) == "starling1.library.pub.61.0b.>")
      #expect(subjects.subscribed([0x61, 0x62, 0x63]) == "starling1.library.pub.61.62.63.>")
      #expect(subjects.subscribed([0x61, 0x62, 0x63, 0xFE]) == "starling1.library.pub.61.62.63.fe")
    }
  }
#endif
