/// Single operations whose instructions and allocations are counted, not timed: the counts are the same on a busy
/// machine, so that a check can hold them to a limit (`make bench-check`, `thresholds.json`).
///
/// `PROGRAM --counted NAME` prepares, then does the work once within `work`, where Callgrind is told to count, and
/// prints how many operations that were.
package enum Counted {
  package static let flag = "--counted"

  /// What Callgrind counts. The name is sought in the program's symbols (`thresholds.py`), so it is given: the copies
  /// that the compiler makes for each closure have it as a part of theirs.
  @inline(never)
  @_optimize(none)
  @_silgen_name("starling_counted_work")
  package static func work(_ body: () throws -> Void) rethrows {
    try body()
  }
}
