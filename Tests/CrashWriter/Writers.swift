import Foundation
import Starling

/// Those who write until the process is killed.
struct Writers: Sendable {
  let replica: Replica
  let ledger: Ledger
  let journal: Journal
  let life: String

  /// Each write after the former one has come as far as `goal` says.
  ///
  /// - Parameter countMax: after so many it ends, and a disk that refuses is waited for; nil where the first refusal
  ///   ends the program.
  func write(as writer: Int, after former: Int64, until goal: FlushGoal, atMost countMax: Int64? = nil) async {
    for number in (former + 1)...(countMax.map { former + $0 } ?? .max) {
      let line: JSONValue = [.integer(Int64(writer)), .integer(number)]
      journal.note(["try": line])
      withTransaction {
        ledger.entries["\(writer)-\(number % 64)"] = "\(writer)-\(number) \(life) " + String(repeating: "x", count: 100)
        ledger.writeCount += 1
        if number % 8 == 0 { ledger.receipts.append("\(writer)-\(number)") }
      }
      do {
        // With a limit it waits for a disk that refuses for a while.
        try await replica.flush(until: goal, timeout: countMax.map { _ in .seconds(2) })
      } catch {
        journal.note(["refused": .string("\(error)")])
        exit(4)
      }
      journal.note(["done": line])
    }
  }
}
