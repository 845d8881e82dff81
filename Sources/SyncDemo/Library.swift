import Starling

/// What all peers edit.
@Replicated final class Library: Sendable {
  /// Two hundred and fifty books of four properties each: a thousand keys.
  var books: ReplicatedDictionary<String, Book> = [:]
  /// Left with every group of edits, so that what was acknowledged can be looked for by name.
  var receipts: ReplicatedSet<String> = []
  /// A notice in the library, which two people change at once.
  var notice = ReplicatedText()
  /// What the reading circle reads next, in this order.
  var readingList: ReplicatedArray<String> = []
}

@Replicated final class Book: Sendable {
  var title = "Untitled"
  var shelf = 0
  var isAvailable = true
  var copies: ReplicatedCounter = 0
}
