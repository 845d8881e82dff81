import Measuring
import StarlingCore
import StarlingWire

// The cases B1 to B3 of crdt-benchmarks (https://github.com/dmonad/crdt-benchmarks). Each gives five figures: the time
// to do it, the average bytes of an update, the time to encode the state, its bytes, and the time to parse it and read
// what it holds. The state is the one without history where a system has such a thing.

private let editCount = Scale.count(6000)
/// 20·√6000.
private let userCount = Scale.count(1540)

extension Case {
  static let oneUser: [Case] = [
    oneUser("b1.1") { .append(editCount, seed: 1) },
    oneUser("b1.2") { .insertWhole(editCount, seed: 2) },
    oneUser("b1.3") { .prepend(editCount, seed: 3) },
    oneUser("b1.4") { .insertAnywhere(editCount, seed: 4) },
    oneUser("b1.5") { .insertWords(editCount, seed: 5) },
    oneUser("b1.6") { .insertAndDelete(editCount, seed: 6) },
    oneUser("b1.7") { .mixed(editCount, seed: 7) },
    oneUser("b1.8") { .appendNumbers(editCount) },
    oneUser("b1.9") { .insertNumbersWhole(editCount) },
    oneUser("b1.10") { .prependNumbers(editCount) },
    oneUser("b1.11") { .insertNumbersAnywhere(editCount, seed: 11) },
  ]

  static let twoUsers: [Case] = [
    twoUsers("b2.1") { _, seed in .insertWhole(editCount, seed: seed) },
    twoUsers("b2.2") { length, seed in .insertAnywhere(editCount, length: length, seed: seed) },
    twoUsers("b2.3") { length, seed in .insertWords(editCount, length: length, seed: seed) },
    twoUsers("b2.4") { length, seed in .mixed(editCount, length: length, seed: seed) },
  ]

  static let manyUsers: [Case] = [
    manyUsers("b3.1") { document, number, patch in
      document.set(.integer(Int64(number)), for: "v", in: .root, patch: &patch)
    },
    manyUsers("b3.2") { document, number, patch in
      document.set(.json(#"{"address":"here","name":"\#(number)"}"#), for: "v", in: .root, patch: &patch)
    },
    manyUsers("b3.3") { document, number, patch in
      document.set(.string(string(of: number)), for: "v", in: .root, patch: &patch)
    },
    manyUsers("b3.4") { document, number, patch in
      document.insert([.string("\(number)")], at: 0, in: .list, patch: &patch)
    },
  ]

  /// √6000 letters.
  private static func string(of number: Int) -> String {
    var random = Random32(seed: UInt32(number + 1))
    return random.letters(77)
  }

  // MARK: The three kinds

  /// One document is written; a second one hears of every edit at once.
  private static func oneUser(_ name: String, _ script: @escaping @Sendable () -> EditScript) -> Case {
    Case(named: names(name)) {
      let script = script()
      var result = Document()
      var messageBytes = 0
      let time = try Sampling.sample(in: .milliseconds) {
        var writer = Writer(1)
        var hearer = Hearer()
        writer.document.declareSequences()
        hearer.document.declareSequences()
        var encoder = LiveEncoder()
        messageBytes = 0
        let duration = try Sampling.computing {
          try script.write(with: &writer) { change in
            var message: [UInt8] = []
            encoder.encode(change, into: &message)
            messageBytes += message.count
            try hearer.hear(message)
          }
        }
        precondition(writer.document.digest() == hearer.document.digest())
        result = hearer.document
        return duration
      }
      return try figures(name, time, Double(messageBytes) / Double(script.count), result)
    }
  }

  /// Two documents that hold the same hundred characters are written, and then hear of each other's edits.
  private static func twoUsers(
    _ name: String, _ script: @escaping @Sendable (_ length: Int, _ seed: UInt32) -> EditScript
  ) -> Case {
    Case(named: names(name)) {
      let length = 100
      let scripts = [script(length, 21), script(length, 22)]
      var beginner = Writer(3)
      beginner.document.declareSequences()
      EditScript.insertWhole(length, seed: 20).write(with: &beginner) { _ in }
      var result = Document()
      var messageBytes = 0
      let time = try Sampling.sample(in: .milliseconds) {
        var writers = [Writer(1), Writer(2)]
        var messages: [[[UInt8]]] = [[], []]
        for user in 0..<2 { writers[user].document = beginner.document }
        let duration = try Sampling.computing {
          for user in 0..<2 {
            var encoder = LiveEncoder()
            scripts[user].write(with: &writers[user]) { change in
              var message: [UInt8] = []
              encoder.encode(change, into: &message)
              messages[user].append(message)
            }
          }
          for user in 0..<2 {
            var hearer = Hearer(document: writers[user].document)
            writers[user].document = Document()
            for message in messages[1 - user] { try hearer.hear(message) }
            writers[user].document = hearer.document
          }
        }
        precondition(writers[0].document.digest() == writers[1].document.digest())
        messageBytes = messages.joined().reduce(0) { $0 + $1.count }
        result = writers[0].document
        return duration
      }
      return try figures(name, time, Double(messageBytes) / Double(scripts.reduce(0) { $0 + $1.count }), result)
    }
  }

  /// Each user writes once without having heard of another; one document hears of all.
  private static func manyUsers(
    _ name: String, _ write: @escaping @Sendable (inout Document, _ number: Int, inout Patch) -> Void
  ) -> Case {
    Case(named: names(name)) {
      let messages: [[UInt8]] = (0..<userCount).compactMap { number in
        var writer = Writer(UInt64(number + 1))
        writer.document.declareSequences()
        var patch = Patch()
        var message: [UInt8] = []
        // Each its own stream: there is nothing in common that a message could leave unsaid.
        var encoder = LiveEncoder()
        guard let change = writer.write(patch: &patch, { write(&$0, number, &$1) }) else { return nil }
        encoder.encode(change, into: &message)
        return message
      }
      precondition(messages.count == userCount)
      var result = Document()
      let time = try Sampling.sample(in: .milliseconds) {
        var hearer = Hearer()
        hearer.document.declareSequences()
        let duration = try Sampling.computing {
          for message in messages {
            hearer.decoder = LiveDecoder()
            try hearer.hear(message)
          }
        }
        precondition(hearer.document.version.entries.count == userCount)
        result = hearer.document
        return duration
      }
      let messageBytes = messages.reduce(0) { $0 + $1.count }
      return try figures(name, time, Double(messageBytes) / Double(userCount), result)
    }
  }

  // MARK: The five figures

  private static func names(_ name: String) -> [String] {
    ["time", "update-bytes", "encode", "doc-bytes", "parse"].map { "\(name)-\($0)" }
  }

  private static func figures(
    _ name: String, _ time: Sample, _ updateBytes: Double, _ result: Document
  ) throws -> [Figure] {
    var state: [UInt8] = []
    let encode = Sampling.sample(in: .milliseconds) { Sampling.computing { state = State.encode(result) } }
    let parse = try Sampling.sample(in: .milliseconds) {
      var parsed = Document()
      let duration = try Sampling.computing {
        // Read where it stands: a variable that the closure captures is copied for each call.
        let read = try State.decode(state)
        consume(read.visible("v", in: .root))
        consume(read.text(in: .text))
        for element in read.elements(in: .list) { consume(read.visible(.element(element), in: .list)) }
        parsed = read
      }
      precondition(parsed.digest() == result.digest())
      return duration
    }
    let names = names(name)
    return [
      Figure(names[0], .milliseconds, time), Figure(names[1], .bytes, Sample(exactly: updateBytes)),
      Figure(names[2], .milliseconds, encode), Figure(names[3], .bytes, Sample(exactly: Double(state.count))),
      Figure(names[4], .milliseconds, parse),
    ]
  }
}
