import ArgumentParser
import Foundation
import Starling

extension SyncDemoCommand {
  /// One peer: opens the library, does what it is told on standard input, reports on standard output.
  struct Peer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "peer", shouldDisplay: false)

    @Option var name: String
    @Option var group: String
    @Option var sockets: String
    @Option var directory: String
    @Option var seed: UInt64

    func run() async throws {
      do {
        let desk = try await Desk.make(
          name: name, group: group, sockets: sockets, directory: directory, seed: seed)
        try await desk.work()
      } catch {
        Desk.say(.failed("\(error)"))
        throw ExitCode.failure
      }
    }
  }
}
