import StarlingGuard

/// Which thread may write to a document. Performs nothing; guarded by the document's lock.
///
/// A transaction belongs to the thread that opened it, for the length of a synchronous call. Writes of other threads
/// wait in line, and the end of the transaction is the turn of the first of them:
///
/// ```
///   free ── enter ──► held by a thread ── leave, nobody in line ──► free
///                       ▲          └───── leave ──► held by the first in line, which is signalled
///                       └── whose waiting would never end (`WaitGraph`), or takes too long: a guest, joins
/// ```
struct WriteTurns {
  /// A thread whose transactions are open, or whose turn it is.
  private struct Holder {
    let thread: ThreadNumber
    /// How many of its transactions are open, one within the other; 0 as long as it has not noticed its turn.
    var depth: Int
  }

  /// The first opened the transaction; guests follow. Empty: everybody may write.
  private var holders: [Holder] = []
  private var guests: [ThreadNumber] = []
  private var line: [WaitingWriter] = []
  /// Names the transaction that is open.
  private(set) var number: UInt64 = 0

  @inline(__always) var isFree: Bool { holders.isEmpty }

  var waitingCount: Int { line.count }

  /// How many transactions are open, one within the other.
  var depth: Int { holders.reduce(0) { $0 + $1.depth } }

  var threads: [ThreadNumber] { holders.map(\.thread) }

  func admits(_ thread: ThreadNumber) -> Bool {
    isFree || holders.contains { $0.thread == thread } || guests.contains(thread)
  }

  /// Begins a transaction of a thread that is admitted.
  mutating func enter(_ thread: ThreadNumber) {
    if let place = holders.firstIndex(where: { $0.thread == thread }) {
      holders[place].depth += 1
    } else {
      if isFree { number += 1 }
      holders.append(Holder(thread: thread, depth: 1))
    }
  }

  /// Ends a transaction of the thread.
  ///
  /// - Returns: whose turn it is, to be signalled with the lock released; nil if it is nobody's or the thread's own.
  mutating func leave(_ thread: ThreadNumber) -> WaitingWriter? {
    guard let place = holders.firstIndex(where: { $0.thread == thread }) else {
      preconditionFailure("A thread ends a transaction that another one began, or none.")
    }
    holders[place].depth -= 1
    guard holders[place].depth == 0 else { return nil }
    holders.remove(at: place)
    guard isFree else { return nil }
    guests.removeAll()
    guard !line.isEmpty else { return nil }
    let next = line.removeFirst()
    number += 1
    holders.append(Holder(thread: next.thread, depth: 0))
    return next
  }

  mutating func wait(_ writer: WaitingWriter) { line.append(writer) }

  /// The writer joins the transaction that is open, unless its turn has just come.
  mutating func join(_ writer: WaitingWriter) {
    guard let place = line.firstIndex(where: { $0 === writer }) else { return }
    line.remove(at: place)
    guests.append(writer.thread)
  }
}

/// A thread that waits for its turn.
final class WaitingWriter: Sendable {
  let thread: ThreadNumber
  let turn = ThreadEvent()

  init(_ thread: ThreadNumber) { self.thread = thread }
}

/// Which threads wait, in the whole process, and for which document: two transactions may each write the other's.
struct WaitGraph {
  /// Taken before the lock of any document.
  static let shared = Guarded(WaitGraph())

  private var waiting: [ThreadNumber: DocumentHandle] = [:]

  mutating func begin(_ thread: ThreadNumber, for document: DocumentHandle) { waiting[thread] = document }

  mutating func end(_ thread: ThreadNumber) -> DocumentHandle? { waiting.removeValue(forKey: thread) }

  /// Whether the thread waits for a document whose turn comes only after its own.
  func isCycle(_ thread: ThreadNumber) -> Bool {
    var documents = waiting[thread].map { [$0] } ?? []
    var seen = 0
    while seen < documents.count {
      for holder in documents[seen].threadsWriting {
        if holder == thread { return true }
        guard let next = waiting[holder], !documents.contains(where: { $0 === next }) else { continue }
        documents.append(next)
      }
      seen += 1
    }
    return false
  }
}
