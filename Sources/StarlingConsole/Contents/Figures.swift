import StarlingEngine
import StarlingReplica
import StarlingSession

/// What the charts show: a sample a second for ten minutes.
struct Figures: Sendable {
  struct Sample: Hashable, Sendable {
    /// Since 1970-01-01 UTC.
    var milliseconds: UInt64
    /// Of the member that is furthest behind, in milliseconds.
    var lag: UInt64
    /// Changes a second that came from others, and that went out.
    var merged: Double
    var published: Double
    /// Bytes that the process has resident; nil where the system does not tell.
    var memory: UInt64?
    /// Bytes of changes that wait for the disk.
    var backlog: Int
    /// The mean time of a commit to disk since the last sample, in milliseconds; nil where there was none.
    var commit: Double?

    var json: JSONValue {
      [
        .unsigned(milliseconds), .unsigned(lag), .double(merged), .double(published),
        memory.map { .unsigned($0) } ?? nil, .integer(Int64(backlog)), commit.map { .double($0) } ?? nil,
      ]
    }
  }

  private(set) var samples: [Sample] = []
  /// How many there were in all.
  private(set) var count = 0
  private var former: (counters: EngineCounters, milliseconds: UInt64)?

  static let sampleCountMax = 600

  mutating func add(_ measured: EngineMeasurements, lag: UInt64, memory: UInt64?, at milliseconds: UInt64) {
    defer { former = (measured.counters, milliseconds) }
    guard let former, milliseconds > former.milliseconds else { return }
    let seconds = Double(milliseconds - former.milliseconds) / 1000
    func rate(_ count: (EngineCounters) -> Int) -> Double {
      let rate = Double(max(0, count(measured.counters) - count(former.counters))) / seconds
      return (rate * 10).rounded() / 10
    }
    let commits = measured.counters.commits - former.counters.commits
    let time = measured.counters.commitMicroseconds.sum - former.counters.commitMicroseconds.sum
    samples.append(
      Sample(
        milliseconds: milliseconds, lag: lag, merged: rate { $0.changesMerged },
        published: rate { $0.changesPublished },
        memory: memory, backlog: measured.documents.reduce(0) { $0 + $1.backlogBytes },
        commit: commits > 0 ? (Double(time) / Double(commits) / 100).rounded() / 10 : nil))
    count += 1
    if samples.count > Self.sampleCountMax { samples.removeFirst() }
  }

  /// What a page lacks that was sent the first `sentCount` samples.
  func update(since sentCount: Int) -> JSONValue? {
    guard count > sentCount else { return nil }
    return .array(samples.suffix(min(samples.count, count - sentCount)).map(\.json))
  }
}
