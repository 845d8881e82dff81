import Starling

/// How often the observers should have run: computed from the values alone, by comparing all of
/// them with what they were at the moment before. It knows nothing of readers.
struct WakeOracle {
  private struct Values: Equatable {
    var title: String
    var shelf: Int
    var isAvailable: Bool
    var copies: Int64
    var isContested: Bool

    init(_ book: Book) {
      title = book.title
      shelf = book.shelf
      isAvailable = book.isAvailable
      copies = book.copies.value
      isContested = book.conflicts(of: \.title).count > 1
    }

    func differences(from old: Values) -> Int {
      (title == old.title ? 0 : 1) + (shelf == old.shelf ? 0 : 1) + (isAvailable == old.isAvailable ? 0 : 1)
        + (copies == old.copies ? 0 : 1)
    }
  }

  private let books: [Book]
  private var known: [ObjectIdentifier: Values]
  private(set) var expected = 0
  /// Times a title got several values at once.
  private(set) var conflicts = 0

  init(_ books: [Book]) {
    self.books = books
    known = Dictionary(uniqueKeysWithValues: books.map { (ObjectIdentifier($0), Values($0)) })
  }

  mutating func check(_ book: Book) {
    let values = Values(book)
    guard let old = known.updateValue(values, forKey: ObjectIdentifier(book)), old != values else { return }
    expected += values.differences(from: old)
    if values.isContested, !old.isContested { conflicts += 1 }
  }

  mutating func checkAll() {
    for book in books { check(book) }
  }
}
