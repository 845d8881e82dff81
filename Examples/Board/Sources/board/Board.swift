import Starling

@Replicated final class Card: Sendable {
  var title = ""
  var votes: ReplicatedCounter = 0
}

@Replicated final class Column: Sendable {
  var title = ""
  var cards: [Card] = []
}

@Replicated final class Board: Sendable {
  var columns: [Column] = []
}

extension Board {
  static let titles = ["to do", "doing", "review", "done"]

  /// Three columns with nothing in them, and one with all cards.
  func fill(cardCount: Int) {
    withTransaction(message: "A new board") {
      columns = Self.titles.map { title in
        let column = Column()
        column.title = title
        return column
      }
      columns[0].cards = (0..<cardCount).map { number in
        let card = Card()
        card.title = "card \(number)"
        return card
      }
    }
  }

  var cards: [Card] { columns.flatMap(\.cards) }

  func shown() -> String {
    columns.map { "\($0.title): " + $0.cards.map { "\($0.title) (\($0.votes.value))" }.joined(separator: ", ") }
      .joined(separator: "\n")
  }
}
