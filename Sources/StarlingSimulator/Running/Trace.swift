import StarlingEngine
import StarlingGuard

/// What happened, in order: the last lines for people, and a hash of all of it, which is equal for
/// two runs exactly if the same things happened at the same moments.
public final class Trace: Sendable {
  private enum Line {
    case note(String)
    case frame(MemoryNetwork.Passage, copies: [Duration])
  }

  private struct Entry {
    var moment: Duration
    /// Its place among all.
    var number: Int
    var line: Line

    var text: String {
      switch line {
      case .note(let text): "\(moment.inSeconds)  \(text)"
      case .frame(let passage, let copies):
        "\(moment.inSeconds)    \(passage.from) → \(passage.to) \(passage.isPublished ? "published" : "direct") "
          + "\(passage.byteCount) bytes, "
          + (copies.isEmpty
            ? "lost" : "arrives at " + copies.map { (moment + $0).inSeconds }.joined(separator: " and "))
      }
    }
  }

  /// The last entries of one sort, in the order of arrival from `next` on.
  private struct Ring {
    var entries: [Entry] = []
    var next = 0

    mutating func append(_ entry: Entry, keeping countMax: Int) {
      if entries.count < countMax {
        entries.append(entry)
      } else {
        entries[next] = entry
        next = (next + 1) % countMax
      }
    }
  }

  private struct State {
    // Apart, so that much talk about nothing does not drive out what happened.
    var notes = Ring()
    var frames = Ring()
    var count = 0
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325

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

  /// - Parameter countMax: how many happenings, and how many frames, are kept.
  public init(keeping countMax: Int = 100) {
    self.countMax = countMax
  }

  /// Of everything that happened, what is no longer among the lines included.
  public var hash: UInt64 { state.withLock { $0.hash } }

  public var count: Int { state.withLock { $0.count } }

  /// The last happenings and the last frames, oldest first.
  public var lines: [String] {
    state.withLock { $0.notes.entries + $0.frames.entries }.sorted { $0.number < $1.number }.map(\.text)
  }

  func note(_ text: String, at moment: Duration) {
    state.withLock { state in
      state.mix(UInt64(moment.microseconds))
      state.mix(text)
      state.notes.append(Entry(moment: moment, number: state.count, line: .note(text)), keeping: countMax)
      state.count += 1
    }
  }

  func frame(_ passage: MemoryNetwork.Passage, copies: [Duration], at moment: Duration) {
    state.withLock { state in
      state.mix(UInt64(moment.microseconds))
      state.mix(passage.from)
      state.mix(passage.to)
      state.mix(UInt64(passage.byteCount) << 8 | UInt64(copies.count))
      state.frames.append(
        Entry(moment: moment, number: state.count, line: .frame(passage, copies: copies)), keeping: countMax)
      state.count += 1
    }
  }
}
