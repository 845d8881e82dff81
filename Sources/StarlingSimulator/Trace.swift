import StarlingEngine
import StarlingGuard

/// What happened, in order: the last lines for people, and a hash of all of it, which is equal for
/// two runs exactly if the same things happened at the same moments.
public final class Trace: Sendable {
  private enum Line {
    case note(Duration, String)
    case frame(Duration, MemoryNetwork.Passage, copies: [Duration])

    var text: String {
      switch self {
      case .note(let moment, let text): "\(moment.inSeconds)  \(text)"
      case .frame(let moment, let passage, let copies):
        "\(moment.inSeconds)    \(passage.from) → \(passage.to) \(passage.isPublished ? "published" : "direct") "
          + "\(passage.byteCount) bytes, "
          + (copies.isEmpty ? "lost" : "arrives at " + copies.map { (moment + $0).inSeconds }.joined(separator: " and "))
      }
    }
  }

  private struct State {
    var lines: [Line] = []
    /// Where the next line goes once `lines` is full.
    var next = 0
    var count = 0
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func append(_ line: Line, keeping countMax: Int) {
      count += 1
      if lines.count < countMax {
        lines.append(line)
      } else {
        lines[next] = line
        next = (next + 1) % countMax
      }
    }

    mutating func mix(_ number: UInt64) {
      hash = (hash ^ number) &* 0x0000_0100_0000_01B3
      hash ^= hash >> 29
    }

    mutating func mix(_ text: String) {
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }
  }

  private let countMax: Int
  private let state = Guarded(State())

  /// - Parameter countMax: how many lines are kept.
  public init(keeping countMax: Int = 200) {
    self.countMax = countMax
  }

  /// Of everything that happened, what is no longer among the lines included.
  public var hash: UInt64 { state.withLock { $0.hash } }

  public var count: Int { state.withLock { $0.count } }

  /// The last lines, oldest first.
  public var lines: [String] {
    let (lines, next) = state.withLock { ($0.lines, $0.next) }
    return (lines[next...] + lines[..<next]).map(\.text)
  }

  func note(_ text: String, at moment: Duration) {
    state.withLock { state in
      state.mix(UInt64(moment.microseconds))
      state.mix(text)
      state.append(.note(moment, text), keeping: countMax)
    }
  }

  func frame(_ passage: MemoryNetwork.Passage, copies: [Duration], at moment: Duration) {
    state.withLock { state in
      state.mix(UInt64(moment.microseconds))
      state.mix(passage.from)
      state.mix(passage.to)
      state.mix(UInt64(passage.byteCount) << 8 | UInt64(copies.count))
      state.append(.frame(moment, passage, copies: copies), keeping: countMax)
    }
  }
}
