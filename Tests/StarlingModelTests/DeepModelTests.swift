import StarlingCore
import StarlingEngine
import StarlingModel
import StarlingModelTestSupport
import StarlingTestSupport
import Testing

@Replicated final class Node: Sendable {
  var number = 0
  var next: Node?
  var others: [Node] = []
}

@Suite struct `A model that holds others at great depth` {
  private let pair = Pair()

  /// A chain of nodes, each in the one before.
  private func chain(_ count: Int) -> Node {
    var first = Node()
    for number in 0..<count {
      let node = Node()
      node.number = number
      node.next = first
      first = node
    }
    return first
  }

  @Test func `enters a document whole, or not at all`() throws {
    let incidents = Incidents()
    let (here, there) = try pair.models(Node.self)
    here.next = chain(100)
    pair.exchange()
    var depth = 0
    var node = there.next
    while let present = node {
      depth += 1
      node = present.next
    }
    #expect(depth == 101)

    here.next = chain(5_000)
    #expect(here.next?.number == 99)
    #expect(incidents.contains { if case .oversized(let write) = $0 { write.part == .depth } else { false } })
    here.others = [chain(5_000)]
    #expect(here.others.isEmpty)
  }

  @Test func `is opened where it grew step by step`() throws {
    let (here, there) = try pair.models(Node.self)
    var kept = [here]
    for number in 1...2_000 {
      let node = Node()
      node.number = number
      kept[kept.count - 1].next = node
      kept.append(node)
    }
    pair.exchange()
    var last = there
    while let next = last.next { last = next }
    #expect(last.number == 2_000)
    // From the end, since each node would release the next within its own release.
    while kept.popLast() != nil {}
    last = there
    var nodes = [last]
    while let next = last.next {
      nodes.append(next)
      last = next
    }
    while nodes.popLast() != nil {}
  }
}
