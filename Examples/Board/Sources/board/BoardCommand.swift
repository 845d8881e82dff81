import ArgumentParser
import Foundation
import Starling

@main
struct BoardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "board",
    abstract: "A board of cards that several processes move, edit and vote for at once.",
    subcommands: [Rounds.self, Play.self, Show.self], defaultSubcommand: Rounds.self)
}

/// Where the board is found; the same for every process.
struct Connection: ParsableArguments {
  @Option(help: "The group that shares the board.") var group = "board"
  @Option(help: "The directory of sockets in which processes find each other (default: this user's runtime directory).")
  var sockets: String?

  func open(in directory: String?, alone: Bool = false) async throws -> (replica: Replica, board: Board) {
    var options = Replica.Options()
    options.agent = "board"
    options.joinsThisMachine = !alone
    options.socketDirectory = sockets ?? ProcessInfo.processInfo.environment["STARLING_SOCKETS"]
    options.logger.logLevel = .error
    let replica = try await Replica.open(group, in: directory, options: options)
    return (replica, try replica.model(Board.self, named: "board", isolation: nil))
  }
}

extension BoardCommand {
  /// Shows the board whenever it changes.
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show the board whenever it changes.")
    @OptionGroup var connection: Connection

    func run() async throws {
      let (replica, board) = try await connection.open(in: nil)
      for await shown in ObservedValues({ board.shown() }) { print(shown, terminator: "\n\n") }
      try await replica.close()
    }
  }

  /// Moves, edits and votes until its time is over, or its input ends.
  struct Play: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Play: one process of 'board'.", shouldDisplay: false)
    @OptionGroup var connection: Connection
    @Option var directory: String
    @Option var name: String
    @Option var seconds = 20.0
    @Option var seed: UInt64 = 1
    @Flag(help: "Without the others: what is written now reaches them later.") var alone = false

    func run() async throws {
      let (replica, board) = try await connection.open(in: directory, alone: alone)
      var player = Player(board, name: name, seed: seed)
      let watchers = Watchers()
      let end = ContinuousClock.now + .seconds(seconds)
      while ContinuousClock.now < end {
        watchers.follow(board.cards)
        player.act()
        try await replica.flush(until: .durable)
        // What was counted is on disk: a vote that the reader of this line counts is never lost.
        let counts = [player.votes, player.moves, watchers.runs, watchers.idleRuns]
        FileHandle.standardOutput.write(Data((counts.map(String.init).joined(separator: " ") + "\n").utf8))
        try await Task.sleep(for: .milliseconds(5))
      }
      try await replica.close()
      // Nothing comes any more.
      guard watchers.lateCount == 0 else {
        FileHandle.standardError.write(Data("\(watchers.lateCount) who look at cards have missed a change.\n".utf8))
        throw ExitCode.failure
      }
    }
  }
}

/// What one person at the board does, drawn.
struct Player {
  private let board: Board
  private let name: String
  private var dice: Dice
  private(set) var votes = 0
  private(set) var moves = 0
  private var edits = 0

  init(_ board: Board, name: String, seed: UInt64) {
    self.board = board
    self.name = name
    dice = Dice(state: seed)
  }

  mutating func act() {
    let columns = board.columns
    guard columns.count > 1 else { return }
    let from = columns[Int.random(in: columns.indices, using: &dice)]
    guard let place = from.cards.indices.randomElement(using: &dice) else { return }
    switch Int.random(in: 0..<4, using: &dice) {
    case 0:
      from.cards[place].votes += 1
      votes += 1
    case 1:
      // No title comes twice, so who looks and sees the same again was woken for nothing.
      edits += 1
      from.cards[place].title = from.cards[place].title.prefix { $0 != "," } + ", edit \(edits) of \(name)"
    default:
      let others = columns.filter { $0 !== from }
      let to = others[Int.random(in: others.indices, using: &dice)]
      withTransaction { to.cards.append(from.cards.remove(at: place)) }
      moves += 1
    }
  }
}

/// Numbers that are the same for the same seed (Steele, Lea and Flood, “Fast splittable pseudorandom number
/// generators”, 2014).
struct Dice: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
