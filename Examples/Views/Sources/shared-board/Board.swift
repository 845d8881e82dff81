import Foundation
import Starling

/// One card. It stays the same object, wherever it is moved, and keeps what others write to it in the same moment.
@Replicated @MainActor final class Card: Identifiable {
  /// By which others are told of it.
  var key = ""
  var title = ""
  var votes: ReplicatedCounter = 0

  convenience init(title: String) {
    self.init()
    key = UUID().uuidString
    self.title = title
  }
}

@Replicated @MainActor final class Column {
  var cards: [Card] = []
}

/// Its columns are part of it, so every process has the same three from the beginning.
@Replicated @MainActor final class Board {
  var toDo = Column()
  var doing = Column()
  var done = Column()
}

extension Board {
  /// From left to right.
  var columns: [(title: String, column: Column)] { [("To do", toDo), ("Doing", doing), ("Done", done)] }

  func add(_ title: String) {
    toDo.cards.append(Card(title: title))
  }

  /// Nothing where somebody else has moved or removed the card before.
  func move(_ card: Card, to target: Column) {
    guard let (source, place) = place(of: card), source !== target else { return }
    withTransaction { target.cards.append(source.cards.remove(at: place)) }
  }

  func remove(_ card: Card) {
    guard let (source, place) = place(of: card) else { return }
    source.cards.remove(at: place)
  }

  private func place(of card: Card) -> (Column, Int)? {
    for (_, column) in columns {
      if let place = column.cards.firstIndex(where: { $0 === card }) { return (column, place) }
    }
    return nil
  }
}

extension PresenceKey<String> {
  /// The card that somebody is at, by its key.
  static let card = PresenceKey("card")
}
