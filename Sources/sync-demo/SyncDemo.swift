import ArgumentParser
import Foundation

@main
struct SyncDemo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync-demo",
    abstract: "Real processes edit one library of books at once; all end equal.",
    discussion: """
      Act 1: all online. Act 2: one is cut off while everybody edits. Act 3: healed. Act 4: one is
      killed with -9 in the middle of its edits and comes back from its disk.

      On a terminal the peers stand side by side; in a pipe the demo prints plain lines; --json
      prints one object and nothing else. The exit status is 1 if the peers differ, an acknowledged
      edit is missing, or an observer ran more or less often than its values changed.
      """,
    version: "sync-demo 0.2.0",
    subcommands: [Run.self, Peer.self],
    defaultSubcommand: Run.self)
}

extension SyncDemo {
  struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "run", abstract: "Run the demonstration (what happens without a subcommand).")

    @Option(help: "How many processes, 2 to 26.")
    var peers = 3

    @Option(help: "How many edits each process makes, over a thousand keys.")
    var edits = 3000

    @Option(help: "Where the choice of edits starts; the same seed chooses the same edits.")
    var seed: UInt64?

    @Flag(help: "Put a daemon in the middle instead of letting the processes talk to each other.")
    var withDaemon = false

    @Flag(help: "Print the verdict as one JSON object, and nothing else.")
    var json = false

    @Flag(help: "Plain lines, also on a terminal.")
    var plain = false

    func validate() throws {
      guard (2...Conductor.cast.count).contains(peers) else {
        throw ValidationError("--peers takes 2 to \(Conductor.cast.count), not \(peers).")
      }
      guard (3...10_000_000).contains(edits) else {
        throw ValidationError("--edits takes 3 to 10000000, not \(edits).")
      }
    }

    func run() async throws {
      let seed = seed ?? UInt64.random(in: 1...999_999)
      let names = Array(Conductor.cast.prefix(peers))
      let fits = Terminal.size().columns >= 16 + 12 * peers
      let manner: Stage.Manner =
        json ? .silent : Terminal.isInteractive && !plain && fits ? .screen : .lines
      let stage = Stage(manner: manner, colours: Terminal.hasColours, peers: names)
      let conductor = Conductor(names: names, edits: edits, seed: seed, withDaemon: withDaemon, stage: stage)
      let verdict: Verdict
      do {
        verdict = try await conductor.run()
      } catch {
        await stage.end()
        FileHandle.standardError.write(Data("sync-demo: \(error)\n".utf8))
        throw ExitCode.failure
      }
      await stage.end()
      print(json ? try verdict.json() : verdict.story)
      if !verdict.isGood { throw ExitCode.failure }
    }
  }
}
