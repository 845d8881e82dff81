import StarlingCore
import StarlingSession
import Testing

@Suite struct `The trust in a peer` {
  private let peer = PeerHandle(rawValue: 1)
  private let library = DocumentID("library")!

  private func ada(_ role: Trust.Role = .writes, documents: [DocumentPattern] = [.everything], expires: UInt64? = nil)
    -> Trust
  {
    Trust(name: "ada", role: role, documents: documents, expires: expires)
  }

  @Test func `is that in nobody for a connection that nothing is known of`() {
    var table = TrustTable()
    #expect(table[peer] == .nobody)
    #expect(!table[peer].isSomebody && !table[peer].covers(library))
    for identity in [PeerIdentity.unknown, .key("k")] {
      table.open(peer, as: identity, isDialled: true, entry: nil, now: 0)
      #expect(table[peer] == .nobody)
      #expect(!table[peer].mayWrite && !table[peer].mayRelay && !table[peer].readsEverything)
    }
  }

  @Test(arguments: [
    (PeerIdentity.sameUser, Trust.sameUser), (.sameMachine, .sameMachine), (.sameCluster, .sameCluster),
  ])
  func `is everything for a peer that is trusted for where it is`(identity: PeerIdentity, trust: Trust) {
    var table = TrustTable()
    // Whatever an allowlist says of somebody else.
    table.open(peer, as: identity, isDialled: false, entry: ada(.reads), now: 0)
    #expect(table[peer] == trust)
    #expect(table[peer].mayRelay && table[peer].covers(library) && table[peer].listedName == nil)
  }

  @Test(arguments: [true, false])
  func `is what the allowlist says of its key, whoever dialled`(isDialled: Bool) {
    var table = TrustTable()
    table.open(peer, as: .key("k"), isDialled: isDialled, entry: ada(), now: 0)
    #expect(table[peer] == ada() && table[peer].listedName == "ada")
    #expect(table[peer].mayWrite && !table[peer].mayRelay)
    #expect(table.review(now: 1) { _, _ in ada() }.isEmpty)
    #expect(
      table.review(now: 1) { key, asked in key == "k" && asked == isDialled ? ada(.reads) : nil }.map {
        [$0.former, $0.present]
      }
        == [[ada(), ada(.reads)]])
    #expect(!table[peer].mayWrite)
    #expect(
      table.review(now: 1) { _, _ in nil }.map { [$0.former, $0.present] } == [[ada(.reads), .nobody]])
  }

  @Test func `ends with its time, whatever the allowlist still says`() {
    var table = TrustTable()
    table.open(peer, as: .key("k"), isDialled: false, entry: ada(expires: 10), now: 9)
    #expect(table[peer].isSomebody)
    // A later end is no other permission.
    #expect(table.review(now: 9) { _, _ in ada(expires: 11) }.isEmpty)
    #expect(table.review(now: 10) { _, _ in ada(expires: 11) }.isEmpty)
    #expect(table.review(now: 11) { _, _ in ada(expires: 11) }.map(\.present) == [.nobody])
    table.open(peer, as: .key("k"), isDialled: false, entry: ada(expires: 10), now: 10)
    #expect(table[peer] == .nobody)
  }

  @Test func `of those who may not read everything is known together`() {
    var table = TrustTable()
    #expect(!table.hasPartialReaders)
    table.open(peer, as: .key("k"), isDialled: false, entry: ada(documents: [DocumentPattern("a")!]), now: 0)
    #expect(table.hasPartialReaders)
    _ = table.review(now: 0) { _, _ in ada() }
    #expect(!table.hasPartialReaders)
    _ = table.review(now: 0) { _, _ in nil }
    #expect(table.hasPartialReaders)
    table.close(peer)
    table.close(peer)
    #expect(!table.hasPartialReaders)
  }
}
