import Measuring
import Starling

private let keyCount = 100_000

extension Case {
  /// A dictionary of a hundred thousand keys in a store: opened until its model is there, and then the first access of
  /// each kind, each to a replica that was opened just now.
  static let keys: [Case] = [
    Case("keys-100k-open", "keys-100k-first-get", "keys-100k-first-set", "keys-100k-walk") {
      let store = Store()
      try await store.write { replica in
        let shelf = try replica.model(Shelf.self, named: "model", isolation: nil)
        withTransaction { for number in 0..<keyCount { shelf.entries["key\(number)"] = "value\(number)" } }
      }
      var (opens, gets, sets, walks): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
      for round in 0..<Sampling.count {
        for access in 0..<3 {
          let begin = ContinuousClock.now
          let replica = try await store.open()
          let shelf = try replica.model(Shelf.self, named: "model", isolation: nil)
          opens.append(Unit.milliseconds.value(of: ContinuousClock.now - begin))
          switch access {
          case 0:
            var value: String?
            gets.append(Unit.microseconds.value(of: Sampling.time { value = shelf.entries["key777"] }))
            precondition(value == "value777")
          case 1:
            sets.append(Unit.microseconds.value(of: Sampling.time { shelf.entries["key555"] = "round\(round)" }))
          default:
            var byteCount = 0
            walks.append(
              Unit.milliseconds.value(
                of: Sampling.time {
                  for (key, value) in shelf.entries { byteCount += key.utf8.count + value.utf8.count }
                }))
            precondition(byteCount > keyCount * 12)
          }
          try await replica.close()
        }
      }
      store.remove()
      return [
        Figure("keys-100k-open", .milliseconds, Sample(opens)),
        Figure("keys-100k-first-get", .microseconds, Sample(gets)),
        Figure("keys-100k-first-set", .microseconds, Sample(sets)),
        Figure("keys-100k-walk", .milliseconds, Sample(walks)),
      ]
    },

    // The same keys written to a model of a replica in one transaction: an entry each.
    Case("keys-100k-write") {
      var writes: [Double] = []
      for _ in 0..<Sampling.count {
        let store = Store()
        try await store.write { replica in
          let shelf = try replica.model(Shelf.self, named: "model", isolation: nil)
          let pairs = (0..<keyCount).map { ("key\($0)", "value\($0)") }
          writes.append(
            Unit.nanoseconds.value(
              of: Sampling.time { withTransaction { for (key, value) in pairs { shelf.entries[key] = value } } })
              / Double(keyCount))
        }
        store.remove()
      }
      return [Figure("keys-100k-write", .nanoseconds, Sample(writes))]
    },

    // A log of ten million operations on a thousand keys, all of which it keeps.
    Case("open-history") {
      let operationCount = Scale.count(10_000_000)
      let store = Store()
      try await store.fillShelf(operationCount) { ("key\($0 % 1000)", "value\($0)") }
      var opens: [Double] = []
      for _ in 0..<Sampling.count {
        let begin = ContinuousClock.now
        let replica = try await store.open()
        let shelf = try replica.model(Shelf.self, named: "model", isolation: nil)
        let value = shelf.entries["key999"]
        opens.append(Unit.milliseconds.value(of: ContinuousClock.now - begin))
        precondition(value == "value\(operationCount - 1)")
        try await replica.close()
      }
      store.remove()
      return [
        Figure("open-history", .milliseconds, Sample(opens), notes: ["\(operationCount) operations in the log"])
      ]
    },
  ]
}
