import Testing

/// Both ways round: with the trait the name is one that the program has, so without it its absence says something.
@Suite struct `StarlingNATS` {
  @Test func `has its link with the trait, and is empty without it`() {
    let link: Any.Type? = _typeByName("12StarlingNATS8NATSLinkC")
    #if NATS
      #expect(link != nil)
    #else
      #expect(link == nil)
      print(
        "note: the tests of StarlingNATS are left out: run them with --traits NATS (Scripts/prerequisites --with-nats)")
    #endif
  }
}
