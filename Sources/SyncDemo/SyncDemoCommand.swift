package import ArgumentParser
import Foundation

/// The command, as the program sync-demo runs it.
package struct SyncDemoCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "sync-demo",
    abstract: "Real processes edit one library of books at once; all end equal.",
    discussion: """
      Act 1: all online. Act 2: one is cut off while everybody edits. Act 3: healed. Act 4: one is \
      killed with -9 in the middle of its edits and comes back from its disk.

      On a terminal the processes stand side by side, and after the acts the keys at the foot are \
      yours: cut, heal, kill, restart, edit. 'sync-demo tour' waits for a key before each step of the \
      acts. In a pipe the demo prints plain lines; --json prints one object and nothing else. The exit \
      status is 1 if the peers differ, an acknowledged edit is missing, or an observer ran more or \
      less often than its values changed.
      """,
    version: "sync-demo 0.2.0",
    subcommands: [Run.self, Tour.self, Peer.self],
    defaultSubcommand: Run.self)

  package init() {}
}

/// What a run needs to know.
struct RunOptions: ParsableArguments {
  @Option(help: "How many processes, 2 to 26.")
  var peers = 3

  @Option(help: "How many edits each process makes in the acts, over a thousand keys.")
  var edits = 3000

  @Option(help: "Where the choice of edits starts; the same seed chooses the same edits.")
  var seed: UInt64?

  @Flag(help: "Put a daemon in the middle instead of letting the processes talk to each other.")
  var withDaemon = false

  func validate() throws {
    guard (2...Conductor.cast.count).contains(peers) else {
      throw ValidationError("--peers takes 2 to \(Conductor.cast.count), not \(peers).")
    }
    guard (3...10_000_000).contains(edits) else {
      throw ValidationError("--edits takes 3 to 10000000, not \(edits).")
    }
  }
}

extension SyncDemoCommand {
  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "run", abstract: "Run the demonstration (what happens without a subcommand).")

    @OptionGroup var options: RunOptions

    @Flag(help: "Print the verdict as one JSON object, and nothing else.")
    var json = false

    @Flag(help: "Plain lines, also on a terminal.")
    var plain = false

    func run() async throws {
      let run = DemoRun(options)
      if !json, !plain, Terminal.showsPictures {
        try await run.watched(readingTime: .seconds(6))
      } else {
        try await run.told(asJSON: json)
      }
    }
  }

  struct Tour: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "tour", abstract: "Walk through the acts, a key before each step.",
      discussion: "Where standard output is no terminal, the acts are told in plain lines, without a pause.")

    @OptionGroup var options: RunOptions

    func run() async throws {
      let run = DemoRun(options)
      if Terminal.showsPictures {
        try await run.watched(readingTime: nil)
      } else {
        try await run.told(asJSON: false)
      }
    }
  }
}
