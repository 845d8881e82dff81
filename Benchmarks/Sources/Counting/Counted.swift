import Measuring

/// Single operations whose instructions and allocations are counted, not timed: the counts are the same on a busy
/// machine, so that a check can hold them to a limit (`make bench-check`, `thresholds.json`).
///
/// `PROGRAM --counted NAME` prepares, then does the work once within `work`, which is what Callgrind is told to count, and
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

  /// What Callgrind counts: it writes down what it has at the beginning and at the end, and begins at nothing after each.
  @inline(never)
  package static func work(_ body: () throws -> Void) rethrows {
    begin()
    defer { end() }
    try body()
  }
}

// Their names are sought in the program's symbols (`thresholds.py`), so they are given.

@inline(never)
@_optimize(none)
@_silgen_name("starling_counted_begin")
private func begin() {}

@inline(never)
@_optimize(none)
@_silgen_name("starling_counted_end")
private func end() {}
