import Foundation
import Starling

/// Those who write until the process is killed.
struct Writers: Sendable {
  let replica: Replica
  let ledger: Ledger
  let journal: Journal
  let life: String

  /// Each write after the former one has come as far as `goal` says.
  func write(as writer: Int, after former: Int64, until goal: FlushGoal) async {
    for number in (former + 1)... {
      let line: JSONValue = [.integer(Int64(writer)), .integer(number)]
      journal.note(["try": line])
      withTransaction {
        ledger.entries["\(writer)-\(number % 64)"] = "\(writer)-\(number) \(life) " + String(repeating: "x", count: 100)
        ledger.writeCount += 1
        if number % 8 == 0 { ledger.receipts.append("\(writer)-\(number)") }
      }
      do {
        try await replica.flush(until: goal)
      } catch {
        journal.note(["refused": .string("\(error)")])
        exit(4)
      }
      journal.note(["done": line])
    }
  }
}
