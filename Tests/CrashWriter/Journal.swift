import Foundation
import Starling

/// What a killed program has said: a line is in the file, whole, once `note` returns, for the kernel has it.
struct Journal: Sendable {
  private let descriptor: Int32

  /// Nil where the file cannot be opened.
  init?(_ path: String) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    guard descriptor >= 0 else { return nil }
  }

  /// Any thread: the file is opened for appending, and a line is one write.
  func note(_ line: JSONValue) {
    let bytes = [UInt8]("\(line)\n".utf8)
    precondition(write(descriptor, bytes, bytes.count) == bytes.count, "The journal cannot be written.")
  }
}

extension Ledger {
  /// All that it holds, for the journal.
  var held: JSONValue {
    [
      "entries": .object(entries.map { JSONValue.Member($0.key, .string($0.value)) }),
      "writeCount": .integer(writeCount.value), "receipts": .array(receipts.map { .string($0) }),
    ]
  }
}
