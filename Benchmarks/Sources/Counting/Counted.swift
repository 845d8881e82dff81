import Measuring

/// Single operations whose instructions and allocations are counted, not timed: the counts are the same on a busy
/// machine, so that a check can hold them to a limit (`make bench-check`, `thresholds.json`).
///
/// `PROGRAM --counted NAME` prepares, then does the work once within `work`, where Callgrind is told to count, and
/// prints how many operations that were.
package enum Counted {
  package static let flag = "--counted"

  /// Does the work whose name follows the flag.
  ///
  /// - Parameter run: nil for a name that it does not know.
  package static func perform(
    _ arguments: ArraySlice<String>, of names: [String], _ run: (String) throws -> Int?
  ) throws {
    guard let count = try run(arguments.first ?? "") else {
      throw UsageError("\(flag) is followed by one of \(names.joined(separator: " "))")
    }
    print(count)
  }

  /// What Callgrind counts. The name is sought in the program's symbols (`thresholds.py`), so it is given: the copies
  /// that the compiler makes for each closure have it as a part of theirs.
  @inline(never)
  @_optimize(none)
  @_silgen_name("starling_counted_work")
  package static func work(_ body: () throws -> Void) rethrows {
    try body()
  }
}
