import Measuring
import StarlingCore
import StarlingWire

// How the cost of one operation grows with what there is already: the same operation at 1, 2, 4 and 8 times the size.
// What a list or text does in O(log n) may grow by a half over that range, what a map does not at all; the caches of a
// real machine add to both. An operation that costs O(n) would grow to eight times.

private let sizes = [1, 2, 4, 8].map { $0 * Scale.count(8000) }
/// Above it a figure is marked.
private let ratioMax = 2.5

extension Case {
  static let growth: [Case] = [
    // The map, register, counter, set and dictionary begin empty and grow to `size` things.
    growth("growth-map-set") { writer, size in
      let keys = (0..<size).map { Key.name("key\($0)") }
      return Work(count: size) { number, patch in
        writer.document.set(.integer(Int64(number)), for: keys[number], in: .root, patch: &patch)
      }
    },
    growth("growth-register") { writer, size in
      Work(count: size) { number, patch in
        writer.document.set(.integer(Int64(number)), for: "v", in: .root, patch: &patch)
      }
    },
    growth("growth-counter") { writer, size in
      Work(count: size) { _, patch in writer.document.increment("v", in: .root, by: 1, patch: &patch) }
    },
    growth("growth-set") { writer, size in
      let keys = (0..<size).map { Key.name("member\($0)") }
      let set = writer.document.declare(.set, for: "set", in: .root)
      return Work(count: size) { number, patch in
        writer.document.set(.bool(true), for: keys[number], in: set, patch: &patch)
      }
    },
    growth("growth-dictionary") { writer, size in
      let dictionary = writer.document.declare(.dictionary, for: "dictionary", in: .root)
      return Work(count: size) { number, patch in
        writer.document.set(.double(Double(number)), for: .integer(Int64(number)), in: dictionary, patch: &patch)
      }
    },

    growth("growth-list-insert") { writer, size in
      var random = Random32(seed: 1)
      return Work(count: size) { number, patch in
        let index = random.next(below: number + 1)
        writer.document.insert([.integer(Int64(number))], at: index, in: .list, patch: &patch)
      }
    },
    growth("growth-list-move") { writer, size in
      writer.fillList(size)
      var random = Random32(seed: 2)
      return Work(count: size) { _, patch in
        let (from, to) = (random.next(below: size), random.next(below: size))
        writer.document.move(from: from, to: to, in: .list, patch: &patch)
      }
    },
    growth("growth-move") { writer, size in
      let script = TreeScript(nodeCount: size, moveCount: size, seed: 2)
      let mover = TreeMover(1, script)
      writer.document = mover.document
      return Work(count: size) { number, patch in
        let (node, target) = script.moves[number]
        let list = writer.document.declare(.list, for: "children", in: mover.nodes[target])
        try! writer.document.place(
          mover.nodes[node], at: writer.document.count(in: list), in: list, patch: &patch)
      }
    },
    growth("growth-list-remove") { writer, size in
      writer.fillList(size)
      var random = Random32(seed: 3)
      return Work(count: size) { number, patch in
        let index = random.next(below: size - number)
        writer.document.removeItems(index..<index + 1, in: .list, patch: &patch)
      }
    },
    growth("growth-text-insert") { writer, size in
      var random = Random32(seed: 4)
      return Work(count: size) { number, patch in
        let index = random.next(below: number + 1)
        writer.document.insert("x", at: index, in: .text, patch: &patch)
      }
    },
    growth("growth-text-remove") { writer, size in
      writer.fillText(size)
      var random = Random32(seed: 5)
      return Work(count: size) { number, patch in
        let index = random.next(below: size - number)
        writer.document.removeItems(index..<index + 1, in: .text, patch: &patch)
      }
    },

    Case("growth-text-merge") {
      [
        figure(
          "growth-text-merge",
          try sizes.map { size in
            // Two users each write all over the same text, unknown to each other; one then hears of the other.
            let users = [6, 7].map { seed in
              var (writer, changes) = (Writer(UInt64(seed)), [Change]())
              writer.document.declareSequences()
              EditScript.insertAnywhere(size, seed: UInt32(seed)).write(with: &writer) { changes.append($0) }
              return (document: writer.document, changes: changes)
            }
            var allocated = 0
            let sample = try Sampling.sample(in: .nanoseconds, per: size) {
              var document = users[0].document
              let before = Memory.allocated
              let duration = try Sampling.computing {
                for change in users[1].changes {
                  var patch = Patch()
                  _ = try document.merge(change, patch: &patch)
                }
              }
              allocated = Memory.allocated - before
              precondition(document.count(in: .text) == 2 * size)
              return duration
            }
            return Step(size: size, time: sample, bytes: Double(allocated) / Double(size))
          })
      ]
    },
  ]

  // MARK: Parts

  /// Operations of one kind, each its own transaction.
  private struct Work {
    let count: Int
    /// Writes one of them in the open change.
    let perform: (_ number: Int, inout Patch) -> Void
  }

  private struct Step {
    let size: Int
    let time: Sample
    /// Allocated and not freed, an operation.
    let bytes: Double
  }

  /// The writer of one sample. A class, so that what it does can be told once and for all sizes.
  private final class Subject {
    var document = Document()
    private let name = Writer(1)

    init() { document.declareSequences() }

    func transact(_ body: (inout Patch) -> Void) {
      var patch = Patch()
      document.begin(as: name.replica, now: name.now)
      body(&patch)
      consume(document.commit())
    }

    /// Inserts one by one, all over, so that it looks like a list that was used.
    func fillList(_ count: Int) {
      var random = Random32(seed: 8)
      for number in 0..<count {
        transact { patch in
          let index = random.next(below: number + 1)
          document.insert([.integer(Int64(number))], at: index, in: .list, patch: &patch)
        }
      }
    }

    func fillText(_ count: Int) {
      var random = Random32(seed: 9)
      for number in 0..<count {
        transact { patch in
          let index = random.next(below: number + 1)
          document.insert("x", at: index, in: .text, patch: &patch)
        }
      }
    }
  }

  private static func growth(_ name: String, _ prepare: @escaping @Sendable (Subject, _ size: Int) -> Work) -> Case {
    Case(name) {
      let steps = sizes.map { size in
        var allocated = 0
        let sample = Sampling.sample(in: .nanoseconds, per: size) {
          let subject = Subject()
          let work = prepare(subject, size)
          let before = Memory.allocated
          let duration = Sampling.computing {
            for number in 0..<work.count { subject.transact { work.perform(number, &$0) } }
          }
          allocated = Memory.allocated - before
          consume(subject.document.version)
          return duration
        }
        return Step(size: size, time: sample, bytes: Double(allocated) / Double(size))
      }
      return [figure(name, steps)]
    }
  }

  private static func figure(_ name: String, _ steps: [Step]) -> Figure {
    let last = steps[steps.count - 1].time
    let ratio = last.median / steps[0].time.median
    let sizes = steps.map { "\($0.size)" }.joined(separator: ", ")
    let times = steps.map(\.time.median.shortened).joined(separator: ", ")
    let bytes = steps.map(\.bytes.shortened).joined(separator: ", ")
    var figure = Figure(
      name, .nanoseconds, last,
      notes: ["of \(sizes): \(times) ns (x\(ratio.shortened)\(ratio > ratioMax ? ", GROWS" : "")); \(bytes) B kept"])
    figure.details = [
      ("sizes", .numbers(steps.map { Double($0.size) })), ("times", .numbers(steps.map(\.time.median))),
      ("bytes", .numbers(steps.map(\.bytes))), ("ratio", .number(ratio)),
    ]
    if ratio > ratioMax { figure.details.append(("grows", .text("yes"))) }
    return figure
  }
}
