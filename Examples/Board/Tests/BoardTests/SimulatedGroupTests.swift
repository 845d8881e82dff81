import Starling
import StarlingEngine
import StarlingSimulator
import Testing

@testable import board

/// People at one board, on a network that loses frames, with programs that crash and disks that are put back.
@Suite struct `A board` {
  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `shows everybody the same, and every card in one place`(seed: UInt64) throws {
    let people = People()
    let simulation = Schedule(seed: seed).run { document, generator in
      guard let board = try? people.board(in: document) else { return }
      guard let from = board.columns.filter({ !$0.cards.isEmpty }).randomElement(using: &generator),
        let to = board.columns.randomElement(using: &generator)
      else { return board.fill(cardCount: 5) }
      let place = Int.random(in: 0..<from.cards.count, using: &generator)
      from.cards[place].votes += 1
      withTransaction { to.cards.append(from.cards.remove(at: place)) }
    }
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
    let open = (0..<simulation.schedule.replicas).compactMap { simulation.document(simulation.documents[0], at: $0) }
    let boards = try open.map { try people.board(in: $0) }
    #expect(Set(boards.map { $0.shown() }).count == 1, "seed \(seed)")
    for board in boards { #expect(Set(board.cards.map(ObjectIdentifier.init)).count == board.cards.count) }
  }
}

/// Of each open document the one space that its models live in.
private final class People {
  private var spaces: [ObjectIdentifier: ModelSpace] = [:]

  func board(in document: DocumentHandle) throws -> Board {
    let space = spaces[ObjectIdentifier(document)] ?? ModelSpace(document)
    spaces[ObjectIdentifier(document)] = space
    return try space.model(Board.self, named: "board", isolation: nil)
  }
}
