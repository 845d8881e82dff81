import StarlingCore
import StarlingSession

/// Answers that wait until their peers have taken what is on its way, those of each peer in the order in which they
/// began to wait; those that went on and wait again are before those that have not gone on yet.
struct PeerContinuations {
  private struct Waiting {
    let document: DocumentID
    let isBegun: Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private var waiting: [PeerHandle: [Waiting]] = [:]

  var count: Int { waiting.values.reduce(0) { $0 + $1.count } }

  /// - Parameter isBegun: whether the answer has waited before.
  mutating func add(
    _ continuation: CheckedContinuation<Void, Never>, to document: DocumentID, of peer: PeerHandle, isBegun: Bool
  ) {
    var line = waiting.removeValue(forKey: peer) ?? []
    let place = isBegun ? line.firstIndex { !$0.isBegun } ?? line.endIndex : line.endIndex
    line.insert(Waiting(document: document, isBegun: isBegun, continuation: continuation), at: place)
    waiting[peer] = line
  }

  /// Has answers to a peer, or to all, look again whether they may go on.
  mutating func resume(_ chosen: AnswerCourse.Waiting, for peer: PeerHandle?) {
    for peer in peer.map({ [$0] }) ?? waiting.keys.sorted() {
      for answer in take(chosen, of: peer) { answer.continuation.resume() }
    }
  }

  private mutating func take(_ chosen: AnswerCourse.Waiting, of peer: PeerHandle) -> [Waiting] {
    switch chosen {
    case .all: return waiting.removeValue(forKey: peer) ?? []
    case .of(let document):
      let taken = waiting[peer]?.filter { $0.document == document } ?? []
      if !taken.isEmpty { waiting[peer]?.removeAll { $0.document == document } }
      return taken
    case .oldest(let count):
      let taken = waiting[peer].map { Array($0.prefix(count)) } ?? []
      waiting[peer]?.removeFirst(taken.count)
      return taken
    }
  }
}
