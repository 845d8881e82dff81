@testable import StarlingSession

// Moves in which half a minute passes for one replica as nobody would choose, while all the others go on as they come.
// Whoever tries something in vain for so long tries it ever more rarely.
extension Conversation {
  enum Hardship: Hashable {
    /// It does nothing, and what is said to it waits.
    case standstill(of: Int)
    /// Its log refuses all that it is told.
    case fullDisk(of: Int)
  }

  private static let duration = Duration.seconds(30)
  /// A pause between two asks or two tries doubles, from 2 s or 100 ms; with none that does there are 15 asks and 30
  /// tries.
  private static let askCountMax = 6
  private static let tryCountMax = 14

  mutating func endure(_ hardship: Hardship, _ handings: inout Handings) {
    self.hardship = hardship
    triedCount = 0
    let end = now + Self.duration
    while now < end {
      pass(ConversationWorld.heartbeat, &handings)
      while let move = progress.first(where: isPossible) {
        if case .fullDisk(let place) = hardship, move == .logged(place) {
          triedCount += 1
          hand(.refused, to: place, &handings)
        } else {
          perform(move, &handings)
        }
        guard violation == nil else { break }
      }
    }
    self.hardship = nil
    switch hardship {
    case .standstill(let place) where triedCount > Self.askCountMax:
      violate("Replica \(place) stood still for \(Self.duration), and was asked \(triedCount) times")
    case .fullDisk(let place) where triedCount > Self.tryCountMax:
      violate("The log of replica \(place) was full for \(Self.duration), and was tried \(triedCount) times")
    default: break
    }
    triedCount = 0
  }

  /// Something is said to a replica.
  mutating func note(_ letter: Letter, to place: Int) {
    if hardship == .standstill(of: place), letter.kind == "want" { triedCount += 1 }
  }

  private func isPossible(_ move: Move) -> Bool {
    guard case .standstill(let place)? = hardship else { return true }
    return switch move {
    case .open(let link): links[link].dialler != place && links[link].dialled != place
    case .deliver(let link, let lane): links[link].receiver(lane) != place
    case .learn(let one, _), .logged(let one), .read(let one), .start(let one): one != place
    default: true
    }
  }
}
