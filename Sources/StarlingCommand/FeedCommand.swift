import ArgumentParser
import Starling

extension StarlingCommand {
  struct Feed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write a value for each line of standard input, and print its path once another member has it.",
      discussion: """
        A line is a path, a space and a value as JSON, as 'starling set' takes them. Each is a change of its own. Once \
        another member has acknowledged it, its path is printed: a printed write is kept, even if this process is killed. \
        The command ends with the input, or at a line that it cannot write.

          seq 1 100 | sed 's,.*,measurements/& &,' | starling feed library
        """)

    @OptionGroup var membership: Membership
    @OptionGroup var document: DocumentOption
    @Option(help: "A directory for the command's own replica: its writes are then those of one writer in all runs.")
    var directory: String?

    func run() async throws {
      try await membership.join(document: document.name, in: directory, isUrgent: false) { joined in
        var number = 0
        // Whoever replicates has a thread of its own: waiting for a line holds up nobody.
        while let line = readLine() {
          number += 1
          let (path, value) = try Self.parse(line, number)
          try joined.document.set(value, at: path.path)
          try await joined.replica.engine.flush(
            joined.document.id, until: .received(1), timeout: membership.patience)
          put(path.path.pointer)
        }
      }
    }

    private static func parse(_ line: String, _ number: Int) throws -> (PathArgument, JSONValue) {
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let path = PathArgument(argument: String(parts[0])) else {
        throw Failure("Line \(number) is no path, a space and a value: '\(line)'.")
      }
      do throws(JSONError) {
        return (path, try JSONValue(parsing: String(parts[1])))
      } catch {
        throw Failure("The value in line \(number) is no JSON, column \(error.column): \(error.message).")
      }
    }
  }
}
