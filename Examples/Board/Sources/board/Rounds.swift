import ArgumentParser
import Foundation
import Starling

extension BoardCommand {
  /// Three processes at one board: one is cut off for the middle of the time, one is killed and starts again.
  struct Rounds: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rounds", abstract: "Let three processes play, one of them cut off and one killed, and compare.")
    @Option(help: "How many cards there are.") var cards = 40
    @Option(help: "How long they play, in seconds.") var seconds = 20.0
    @Option(help: "What is drawn.") var seed: UInt64 = 1

    func run() async throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "board-\(getpid())")
      let sockets = folder.appending(path: "sockets")
      try FileManager.default.createDirectory(
        at: sockets, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      defer { try? FileManager.default.removeItem(at: folder) }
      var connection = Connection()
      connection.group = "board"
      connection.sockets = sockets.path
      let (replica, board) = try await connection.open(in: folder.appending(path: "referee").path)
      board.fill(cardCount: cards)
      try await replica.flush(until: .durable)
      print("\(cards) cards in one of \(Board.titles.count) columns; Ada, Grace and Edsger play for \(Int(seconds)) s.")

      let part = seconds / 3
      let people = ["Ada", "Grace", "Edsger"].enumerated().map { number, name in
        Person(name, folder.appending(path: name.lowercased()).path, sockets.path, seed: seed &+ UInt64(number))
      }
      for person in people { try person.begin(seconds: person.name == "Ada" ? seconds : part) }
      try await Task.sleep(for: .seconds(part))
      let (grace, edsger) = (people[1], people[2])
      grace.end()
      edsger.die()
      print("Edsger is killed and starts again; Grace goes on alone.")
      try edsger.begin(seconds: seconds - part)
      try grace.begin(seconds: part, alone: true)
      try await Task.sleep(for: .seconds(part))
      grace.end()
      print("Grace is back.")
      try grace.begin(seconds: part)
      for person in people { person.end() }

      // Whoever played has written all to its disk: each is opened once more, and hands over what the others lack.
      var replicas: [(name: String, replica: Replica, board: Board)] = [("referee", replica, board)]
      for person in people {
        let (replica, board) = try await connection.open(in: person.directory)
        replicas.append((person.name, replica, board))
      }
      // A model shows what was merged once that is delivered, a moment after the version counts it.
      let deadline = ContinuousClock.now + .seconds(30)
      while Set(replicas.map(\.replica.version)).count > 1 || Set(replicas.map { $0.board.shown() }).count > 1,
        ContinuousClock.now < deadline
      {
        try await Task.sleep(for: .milliseconds(20))
      }
      let isRight = report(replicas.map { ($0.name, $0.board) }, people)
      for one in replicas.reversed() { try await one.replica.close() }
      if !isRight { throw ExitCode.failure }
    }

    private func report(_ boards: [(name: String, board: Board)], _ people: [Person]) -> Bool {
      let shown = Set(boards.map { $0.board.shown() })
      let held = boards[0].board.cards
      let numbers = Set(held.compactMap { $0.title.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } })
      let votes = held.reduce(0) { $0 + Int($1.votes.value) }
      let counted = people.reduce(0) { $0 + $1.votes }
      let moves = people.reduce(0) { $0 + $1.moves }
      let (runs, idleRuns) = people.reduce((0, 0)) { ($0.0 + $1.runs, $0.1 + $1.idleRuns) }
      print(boards[0].board.shown())
      let checks = [
        ("all \(boards.count) hold the same board", shown.count == 1),
        ("no card is lost: \(numbers.count) of \(cards)", numbers.count == cards),
        ("no card stands twice: \(held.count) places, after \(moves) moves", held.count == numbers.count),
        // A killed process may have written a vote without having said so.
        ("every vote counts: \(votes) of \(counted)", votes >= counted && votes <= counted + 1),
        ("nobody is woken for nothing: \(runs) times for a change, \(idleRuns) for none", idleRuns == 0),
        ("nobody misses a change", people.allSatisfy(\.hasSeenAll)),
      ]
      for (what, holds) in checks { print("  \(holds ? "holds " : "FAILS ") \(what)") }
      return checks.allSatisfy(\.1)
    }
  }
}

/// One process that plays.
final class Person {
  let name: String
  let directory: String
  private(set) var votes = 0
  private(set) var moves = 0
  /// How often those who look at the cards were woken, and how often for nothing.
  private(set) var runs = 0
  private(set) var idleRuns = 0
  private(set) var hasSeenAll = true
  private let sockets: String
  private var seed: UInt64
  private var process = Process()
  private var output = Pipe()

  init(_ name: String, _ directory: String, _ sockets: String, seed: UInt64) {
    self.name = name
    self.directory = directory
    self.sockets = sockets
    self.seed = seed
  }

  func begin(seconds: Double, alone: Bool = false) throws {
    process = Process()
    output = Pipe()
    process.executableURL = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    process.arguments =
      ["play", "--directory", directory, "--name", name, "--sockets", sockets]
      + ["--seconds", "\(seconds)", "--seed", "\(seed)"] + (alone ? ["--alone"] : [])
    process.standardOutput = output
    seed &+= 1000
    try process.run()
  }

  /// Waits for its end, and counts what it said.
  func end() {
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    if process.terminationReason == .exit, process.terminationStatus != 0 { hasSeenAll = false }
    // The last line that was written whole.
    guard said.contains("\n") else { return }
    let lines = said.split(separator: "\n")
    let whole = said.hasSuffix("\n") ? lines.last : lines.dropLast().last
    let numbers = whole?.split(separator: " ").compactMap { Int($0) } ?? []
    guard numbers.count == 4 else { return }
    votes += numbers[0]
    moves += numbers[1]
    runs += numbers[2]
    idleRuns += numbers[3]
  }

  func die() {
    kill(process.processIdentifier, SIGKILL)
    end()
  }
}
