import Testing

@testable import StarlingReplica

@Suite struct `The name of a daemon` {
  private func shard(_ text: String) -> DocumentShard { DocumentShard(text)! }

  @Test func `names its shard, if it has one`() {
    #expect(DaemonName(.whole).description == "daemon")
    #expect(DaemonName(shard("2/4")).description == "daemon-2-of-4")
    for text in ["daemon", "daemon-1-of-2", "daemon-256-of-256"] { #expect(DaemonName(text)?.description == text) }
  }

  @Test(arguments: [
    "", "4f1c0d7a90a2bb31", "Daemon", "daemon-", "daemon-1", "daemon-1-of-1", "daemon-3-of-2", "daemon-01-of-2",
    "daemon-1-in-2", "demon-1-of-2", "daemon-1-of-2-of-3",
  ]) func `is no other`(text: String) { #expect(DaemonName(text) == nil) }

  @Test func `is all that programs talk to where it has everything`() {
    #expect(DaemonName.chosen(from: ["4f1c", "90a2", "daemon"]) == ["daemon"])
    // Others take over from it, and it has everything until it stops.
    #expect(DaemonName.chosen(from: ["4f1c", "daemon", "daemon-1-of-2", "daemon-2-of-2"]) == ["daemon"])
  }

  @Test func `is one of those that programs talk to where all shards have one`() {
    #expect(DaemonName.chosen(from: ["4f1c", "daemon-1-of-2", "daemon-2-of-2"]) == ["daemon-1-of-2", "daemon-2-of-2"])
    // The shards of two become four: each document goes to both of its daemons.
    #expect(
      DaemonName.chosen(from: ["4f1c", "daemon-1-of-2", "daemon-2-of-2", "daemon-3-of-4"])
        == ["daemon-1-of-2", "daemon-2-of-2", "daemon-3-of-4"])
  }

  @Test func `does not keep programs from each other where a shard has none`() {
    for members in [["4f1c", "90a2"], ["4f1c", "daemon-1-of-2"], ["4f1c", "daemon-1-of-2", "daemon-2-of-4"], []] {
      #expect(DaemonName.chosen(from: members) == members)
    }
  }
}
