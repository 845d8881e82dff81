import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle
import Starling

@main
struct FeatureFlags: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feature-flags",
    abstract: "A service whose instances share their feature flags.",
    subcommands: [Serve.self, Set.self, Feed.self, List.self])
}

/// Where the flags are found; the same for every command.
struct Connection: ParsableArguments {
  @Option(help: "The group that shares the flags.")
  var group = "feature-flags"

  @Option(help: "Dial the daemon at this endpoint, as tcp://127.0.0.1:7401, instead of the processes on this machine.")
  var connect: [String] = []

  @Option(help: "The directory of sockets in which processes find each other (default: this user's runtime directory).")
  var sockets: String?

  func open() async throws -> (Replica, Flags) {
    var options = Replica.Options()
    options.agent = "feature-flags"
    options.connect = connect
    options.joinsThisMachine = connect.isEmpty
    options.socketDirectory = sockets ?? ProcessInfo.processInfo.environment["STARLING_SOCKETS"]
    options.logger.logLevel = .warning
    let replica = try await Replica.open(group, options: options)
    return (replica, try replica.model(Flags.self, named: "flags", isolation: nil))
  }
}

extension FeatureFlags {
  /// Runs until it is stopped, and says whenever a flag changes.
  struct Serve: AsyncParsableCommand {
    @OptionGroup var connection: Connection

    func run() async throws {
      let (replica, flags) = try await connection.open()
      let watcher = Watcher(flags: flags)
      try await ServiceGroup(
        services: [replica, watcher], gracefulShutdownSignals: [.sigterm, .sigint],
        logger: Logger(label: "feature-flags")
      ).run()
    }
  }

  struct Set: AsyncParsableCommand {
    @OptionGroup var connection: Connection
    @Argument var name: String
    @Argument(help: "on or off") var state: State

    enum State: String, ExpressibleByArgument { case on, off }

    func run() async throws {
      let (replica, flags) = try await connection.open()
      flags.set(name, to: state == .on)
      // Returns once somebody else has it: this process is about to go.
      try await replica.flush(until: .received(1))
      print("\(name) is \(state.rawValue)")
      try await replica.close()
    }
  }

  /// Sets many flags; what it has printed is kept, whichever process is killed.
  struct Feed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set a flag for each line of standard input, as 'dark-mode on'.",
      discussion: "Each line is printed once a daemon has its change on disk.")

    @OptionGroup var connection: Connection

    func run() async throws {
      let (replica, flags) = try await connection.open()
      while let line = readLine() {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 2, let state = Set.State(rawValue: words[1]) else {
          throw ValidationError("'\(line)' is not the name of a flag, a space, and on or off.")
        }
        flags.set(words[0], to: state == .on)
        try await replica.flush(until: .replicated(1))
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
      }
      try await replica.close()
    }
  }

  struct List: AsyncParsableCommand {
    @OptionGroup var connection: Connection

    func run() async throws {
      let (replica, flags) = try await connection.open()
      await replica.synchronize()
      for name in flags.enabled.keys.sorted() { print("\(name)\t\(flags.enabled[name] == true ? "on" : "off")") }
      try await replica.close()
    }
  }
}

/// Prints the flags, and how often any was set, whenever one of them is.
struct Watcher: Service {
  let flags: Flags

  func run() async throws {
    let states = ObservedValues {
      flags.enabled.keys.sorted().map { "\($0)=\(flags.enabled[$0] == true ? "on" : "off") " }.joined()
        + "(set \(flags.changes.value) times)"
    }
    await cancelWhenGracefulShutdown {
      for await state in states {
        FileHandle.standardOutput.write(Data((state + "\n").utf8))
      }
    }
  }
}
