package import StarlingCore

/// The names of the elements that an array shows, in order. Those that were written one after another are a run, and
/// runs stand in chunks, each of which counts its names.
///
/// ```
///   names    3:1 3:2 3:3 3:4   7:9   3:5 …
///   chunks   [ 5:  (3:1, 4) (7:9, 1) ]  [ 900:  (3:5, 900) ]
/// ```
///
/// - Complexity: O(*c* + *k*) for *k* names at one place, where *c* is the count of the chunks: a sixty-fourth of the
///   runs or somewhat more.
package struct ElementNames: Sendable {
  private struct Run {
    var first: Dot
    var count: Int

    func dropping(_ offset: Int) -> Run { Run(first: first.advanced(by: offset), count: count - offset) }
  }

  private struct Chunk {
    var runs: [Run]
    var count: Int
  }

  /// Where a name stands.
  private struct Position {
    var chunk: Int
    var run: Int
    var offset: Int
  }

  private static let runCountMax = 64

  private var chunks: [Chunk] = []
  package private(set) var count = 0

  package init() {}

  package init(_ dots: some Sequence<Dot>) {
    var runs: [Run] = []
    for dot in dots { Self.append(Run(first: dot, count: 1), to: &runs) }
    chunks = Self.chunks(of: runs)
    count = chunks.reduce(0) { $0 + $1.count }
  }

  package subscript(index: Int) -> Dot {
    let position = position(of: index)
    return chunks[position.chunk].runs[position.run].first.advanced(by: position.offset)
  }

  /// The names in a range, in order.
  package subscript(range: Range<Int>) -> [Dot] {
    precondition(range.upperBound <= count, "\(range) is not within 0..<\(count).")
    var found: [Dot] = []
    if range.isEmpty { return found }
    found.reserveCapacity(range.count)
    var position = position(of: range.lowerBound)
    while found.count < range.count {
      let run = chunks[position.chunk].runs[position.run]
      let taken = min(run.count - position.offset, range.count - found.count)
      for offset in position.offset..<position.offset + taken { found.append(run.first.advanced(by: offset)) }
      position.offset = 0
      position.run += 1
      if position.run == chunks[position.chunk].runs.count {
        position = Position(chunk: position.chunk + 1, run: 0, offset: 0)
      }
    }
    return found
  }

  package mutating func replaceSubrange(_ range: Range<Int>, with dots: [Dot]) {
    precondition(range.upperBound <= count, "\(range) is not within 0..<\(count).")
    if range.isEmpty, dots.isEmpty { return }
    let (first, end) = (position(of: range.lowerBound), position(of: range.upperBound))
    // One more at either side: of two chunks next to each other that become small one is made.
    let (firstChunk, endChunk) = (max(first.chunk - 1, 0), min(end.chunk + 2, chunks.count))
    var runs: [Run] = []
    for chunk in chunks[firstChunk..<min(first.chunk, chunks.count)] { runs += chunk.runs }
    if first.chunk < chunks.count {
      runs += chunks[first.chunk].runs[..<first.run]
      if first.offset > 0 {
        runs.append(Run(first: chunks[first.chunk].runs[first.run].first, count: first.offset))
      }
    }
    for dot in dots { Self.append(Run(first: dot, count: 1), to: &runs) }
    if end.chunk < chunks.count {
      let rest = chunks[end.chunk].runs[end.run...]
      if let broken = rest.first { Self.append(broken.dropping(end.offset), to: &runs) }
      for run in rest.dropFirst() { Self.append(run, to: &runs) }
    }
    if end.chunk + 1 < endChunk { for run in chunks[end.chunk + 1].runs { Self.append(run, to: &runs) } }
    chunks.replaceSubrange(firstChunk..<endChunk, with: Self.chunks(of: runs))
    count += dots.count - range.count
  }

  /// Of the index behind the last name: behind the last chunk.
  private func position(of index: Int) -> Position {
    var left = index
    for (place, chunk) in chunks.enumerated() {
      guard left < chunk.count else {
        left -= chunk.count
        continue
      }
      for (run, content) in chunk.runs.enumerated() {
        if left < content.count { return Position(chunk: place, run: run, offset: left) }
        left -= content.count
      }
    }
    precondition(left == 0, "\(index) is not within 0...\(count).")
    return Position(chunk: chunks.count, run: 0, offset: 0)
  }

  private static func append(_ run: Run, to runs: inout [Run]) {
    if let last = runs.last, last.first.advanced(by: last.count) == run.first {
      runs[runs.count - 1].count += run.count
    } else {
      runs.append(run)
    }
  }

  private static func chunks(of runs: [Run]) -> [Chunk] {
    var chunks: [Chunk] = []
    var start = 0
    while start < runs.count {
      // A chunk that must be parted is parted in the middle, so that the next few names have space in either part.
      let rest = runs.count - start
      let taken = rest <= runCountMax ? rest : min(runCountMax, (rest + 1) / 2)
      let part = Array(runs[start..<start + taken])
      chunks.append(Chunk(runs: part, count: part.reduce(0) { $0 + $1.count }))
      start += taken
    }
    return chunks
  }
}

extension Dot {
  /// The name that was given so many operations later.
  fileprivate func advanced(by offset: Int) -> Dot { Dot(replica, counter + UInt64(offset)) }

  /// The names that begin with this one.
  func following(count: Int) -> some Sequence<Dot> { (0..<count).lazy.map { advanced(by: $0) } }
}
