import Measuring
import StarlingCore
import StarlingWire

private let nodeCount = Scale.count(10_000)
private let moveCount = Scale.count(10_000)
private let crossingCount = Scale.count(1000)

/// A tree whose drawn nodes are moved to others that are drawn too; `peers.py` draws the same.
struct TreeScript {
  /// The node that each begins below; nil for the root.
  private(set) var parents: [Int?] = []
  private(set) var moves: [(node: Int, target: Int)] = []

  /// - Parameters:
  ///   - seed: draws the moves; the tree is the same for all.
  ///   - anywhere: whether a node goes below any other that is not in it. If not it goes below an older one: then the
  ///     tree stays as shallow as it began, and two scripts make no circle.
  init(nodeCount: Int, moveCount: Int, seed: UInt32, anywhere: Bool = false) {
    var random = Random32(seed: 1)
    for node in 0..<nodeCount {
      let place = random.next(below: node + 1)
      parents.append(place == node ? nil : place)
    }
    var standing = parents
    random = Random32(seed: seed)
    while moves.count < moveCount {
      let node = 1 + random.next(below: nodeCount - 1)
      let target = random.next(below: anywhere ? nodeCount : node)
      var next: Int? = target
      while let ancestor = next, ancestor != node { next = standing[ancestor] }
      // Nothing is moved into itself.
      guard next == nil else { continue }
      standing[node] = target
      moves.append((node, target))
    }
  }
}

/// Somebody who has such a tree, and moves its nodes.
struct TreeMover {
  var document: Document
  private(set) var nodes: [ObjectID] = []
  private var name: Writer

  /// Somebody who made the tree.
  init(_ number: UInt64, _ script: TreeScript) {
    name = Writer(number)
    document = Document()
    document.holdsRemovedObjects = true
    document.declareSequences()
    // As large as a change may be.
    for start in stride(from: 0, to: script.parents.count, by: 10_000) {
      var patch = Patch()
      document.begin(as: name.replica, now: name.now)
      for node in start..<min(start + 10_000, script.parents.count) {
        let list = children(of: script.parents[node])
        let dot = document.insert([.object(.map)], at: document.count(in: list), in: list, patch: &patch)!
        nodes.append(.assigned(by: dot))
      }
      consume(document.commit())
    }
  }

  /// What follows is written by somebody else, who heard of all this.
  mutating func goOn(as number: UInt64) {
    name = Writer(number)
  }

  @inline(__always)
  mutating func move(_ move: (node: Int, target: Int), patch: inout Patch) throws -> Change? {
    document.begin(as: name.replica, now: name.now)
    let list = children(of: move.target)
    try document.place(nodes[move.node], at: document.count(in: list), in: list, patch: &patch)
    return document.commit()
  }

  private mutating func children(of node: Int?) -> ObjectID {
    node.map { document.declare(.list, for: "children", in: nodes[$0]) } ?? .list
  }
}

extension Case {
  static let moves: [Case] = [
    // A node of a tree goes from one parent to another: each move a transaction, sent and heard of.
    Case("move", "move-observed") {
      let script = TreeScript(nodeCount: nodeCount, moveCount: moveCount, seed: 2)
      // Each time a tree of its own: of one that is shared, the first write to each part would copy it.
      var payloads: [[UInt8]] = []
      var digest: Digest?
      let written = try Sampling.sample(in: .nanoseconds, per: moveCount) {
        var mover = TreeMover(1, script)
        payloads = []
        var encoder = LiveEncoder()
        let duration = try Sampling.computing {
          for move in script.moves {
            var (patch, payload) = (Patch(), [UInt8]())
            if let change = try mover.move(move, patch: &patch) { encoder.encode(change, into: &payload) }
            payloads.append(payload)
          }
        }
        digest = mover.document.digest()
        return duration
      }
      let heard = try Sampling.sample(in: .nanoseconds, per: moveCount) {
        var hearer = Hearer(document: TreeMover(1, script).document)
        let duration = try Sampling.computing { for payload in payloads { try hearer.hear(payload) } }
        precondition(hearer.document.digest() == digest)
        return duration
      }
      return [Figure("move", .nanoseconds, written), Figure("move-observed", .nanoseconds, heard)]
    },

    // Two people each move nodes without knowing of the other; many of the moves meet, some in circles.
    Case("move-crossing") {
      [try crossing("move-crossing", nodeCount: nodeCount)]
    },
    Case("move-crossing-1m") {
      [try crossing("move-crossing-1m", nodeCount: Scale.count(1_000_000))]
    },
  ]

  private static func crossing(_ name: String, nodeCount: Int) throws -> Figure {
    let moveCount = crossingCount / 2
    let scripts = [3, 4].map { TreeScript(nodeCount: nodeCount, moveCount: moveCount, seed: $0, anywhere: true) }
    func perform(_ side: Int, _ mover: inout TreeMover) throws -> [Change] {
      mover.goOn(as: UInt64(2 + side))
      var patch = Patch()
      return try scripts[side].moves.compactMap { try mover.move($0, patch: &patch) }
    }
    func merge(_ side: Int, into other: Int) throws -> (digest: Digest, duration: Duration) {
      var one = TreeMover(1, scripts[side])
      let changes = try perform(side, &one)
      var mover = TreeMover(1, scripts[other])
      _ = try perform(other, &mover)
      let duration = try Sampling.computing {
        for change in changes {
          var patch = Patch()
          _ = try mover.document.merge(change, patch: &patch)
        }
      }
      return (mover.document.digest(), duration)
    }
    let opposite = try merge(1, into: 0).digest
    let sample = try Sampling.sample(in: .nanoseconds, per: moveCount) {
      let (digest, duration) = try merge(0, into: 1)
      precondition(digest == opposite)
      return duration
    }
    return Figure(name, .nanoseconds, sample)
  }
}
