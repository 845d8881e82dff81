/// What the command line of `soak` asks for.
package enum SoakCommand: Equatable {
  case help
  /// Prints the names of all faults that can be planted.
  case listFaults
  /// Finds out how soon a planted fault is found.
  case planted(String)
  /// Tells what a simulated hour costs.
  case hour
  case run(SoakOptions)
}

/// How many schedules run, which, and what happens to the failures.
package struct SoakOptions: Equatable {
  package var firstSeed: UInt64 = 1
  /// Nil runs until the time is over.
  package var scheduleCount: UInt64?
  /// Nil runs until the schedules are over; one minute where neither is given.
  package var minutes: Double?
  /// How many run at once; nil for one a core.
  package var jobCount: Int?
  /// Whether the first failure ends it.
  package var endsAtFirst = false
  /// Whether the last lines of a failure's trace are printed with its shortest steps.
  package var printsTrace = false
  /// The folder of the tests that repeat failures.
  package var failures = ".build/failures"

  package init() {}
}

/// A command line that `soak` cannot follow.
package struct SoakUsageError: Error, Equatable, CustomStringConvertible {
  package var description: String
}

extension SoakCommand {
  package static let helpText = """
    usage: soak [options]
           soak --planted [FAULT]
           soak --hour

    Runs simulated groups under faults, one schedule after another, on every core. Prints each minute what was done
    and what went wrong. Ends with status 0 if nothing was violated, with 1 if anything was, with 2 if it cannot
    follow the command line.

      --seed N            the seed of the first schedule (1); each of the next has the next seed
      --schedules N       so many schedules
      --minutes N         for so long; 1 where --schedules is not given either
      --jobs N            so many at once (one a core)
      --first             end at the first failure
      --trace             print the last lines of the trace of each failure, too
      --failures FOLDER   where the tests that repeat failures go (.build/failures)
      --planted [FAULT]   how soon a planted fault of the program is found; without FAULT, the names of all
      --hour              how long an hour of a calm group of five takes here, at several paces of writing
      --help              this text

    One seed again: soak --schedules 1 --seed 42
    """

  /// Of two values of one option the later one counts, so that a script's may be overruled.
  ///
  /// - Parameter arguments: without the program's name.
  /// - Throws: `SoakUsageError`, which names the argument and what it should be.
  package init(_ arguments: some Sequence<String>) throws(SoakUsageError) {
    var rest = Array(arguments)[...]
    if rest.contains("--help") || rest.contains("-h") {
      self = .help
      return
    }
    if rest.first == "--planted" {
      guard rest.count <= 2 else { throw SoakUsageError(description: "--planted takes one fault, and nothing else.") }
      self = rest.count == 2 ? .planted(rest.last!) : .listFaults
      return
    }
    if rest.contains("--hour") {
      self = .hour
      return
    }
    var options = SoakOptions()
    while let option = rest.popFirst() {
      switch option {
      case "--seed": options.firstSeed = try rest.takeValue(of: option, "a whole number from 0 on") { UInt64($0) }
      case "--schedules":
        options.scheduleCount = try rest.takeValue(of: option, "a whole number from 1 on") { UInt64($0).positive }
      case "--minutes":
        options.minutes = try rest.takeValue(of: option, "a number greater than 0") { Double($0).positive }
      case "--jobs": options.jobCount = try rest.takeValue(of: option, "a whole number from 1 on") { Int($0).positive }
      case "--first": options.endsAtFirst = true
      case "--trace": options.printsTrace = true
      case "--failures": options.failures = try rest.takeValue(of: option, "a folder") { $0.isEmpty ? nil : $0 }
      default: throw SoakUsageError(description: "There is no option '\(option)'.")
      }
    }
    self = .run(options)
  }
}

extension ArraySlice<String> {
  fileprivate mutating func takeValue<Value>(
    of option: String, _ expected: String, _ read: (String) -> Value?
  ) throws(SoakUsageError) -> Value {
    guard let text = popFirst(), !text.hasPrefix("--") else {
      throw SoakUsageError(description: "\(option) needs \(expected).")
    }
    guard let value = read(text) else {
      throw SoakUsageError(description: "\(option) needs \(expected), not '\(text)'.")
    }
    return value
  }
}

extension Optional where Wrapped: Comparable & Numeric {
  /// Nil where it is not greater than 0.
  fileprivate var positive: Wrapped? { flatMap { $0 > 0 ? $0 : nil } }
}
