import Testing

#if !NATS
  @Suite struct `StarlingNATS` {
    @Test func `is empty without the trait`() {
      print(
        "note: the tests of StarlingNATS are left out: run them with --traits NATS (Scripts/prerequisites --with-nats)")
    }
  }
#endif
