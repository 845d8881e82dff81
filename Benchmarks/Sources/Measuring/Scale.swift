/// How much work is done: all of it; or with `--quick` a twentieth, once, which shows that every case runs and nothing
/// else. Cases whose size is part of their name keep it.
package enum Scale {
  package static let flag = "--quick"
  package static let isQuick = CommandLine.arguments.contains(flag)

  package static func count(_ whole: Int) -> Int {
    isQuick ? max(1, whole / 20) : whole
  }
}
