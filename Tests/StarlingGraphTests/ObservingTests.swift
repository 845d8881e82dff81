import StarlingGraph
import Testing

@Suite struct `A write` {
  @Test func `wakes the readers of that property alone`() {
    let book = Book()
    let titles = Record<String>()
    let years = Record<Int>()
    let observing = [observe { titles.add(book.title) }, observe { years.add(book.year) }]
    book.title = "Dune"
    #expect(titles.entries == ["", "Dune"])
    #expect(years.entries == [0])
    observing.forEach { $0.cancel() }
    book.title = "Emma"
    #expect(titles.count == 2)
  }
}
