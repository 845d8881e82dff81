package import StarlingCore

/// Names one document for as long as it is open. It is given once.
package struct DocumentNumber: Hashable, Comparable, Sendable {
  private let shortPlace: UInt32
  /// How many were open at that place before.
  package let turn: UInt32

  init(place: Int, turn: UInt32 = 0) {
    shortPlace = UInt32(place)
    self.turn = turn
  }

  package var place: Int { Int(shortPlace) }

  package static func < (left: Self, right: Self) -> Bool { (left.place, left.turn) < (right.place, right.turn) }
}

/// The open documents.
///
/// ```
///   place      0      1      2
///   state    [ b ]  [ – ]  [ a ]         1 was closed: the next that is opened stands there, under another number
///   in order   2      0                  by name, so that one seed gives one run
///   active     2                         reviewed with each tick
///   waiting    0                         reviewed with some ticks, once its time has come: time alone brings it on
///   due        2      0                  looked at with the next heartbeat
///   resting    0                         idle, the one that has been for longest first: may be closed
/// ```
package struct Catalogue: Sendable {
  private var states: ContiguousArray<DocumentState> = []
  /// How many documents stood at each place before; and the places where none stands.
  private var turns: [UInt32] = []
  private var free: [Int] = []
  private var numbers: [DocumentID: DocumentNumber] = [:]
  package private(set) var inOrder: [DocumentNumber] = []
  /// Documents may share a topic; what tells them apart is the stream.
  private var byTopic: [UInt32: [DocumentNumber]] = [:]
  package private(set) var active: [DocumentNumber] = []
  /// With some that are active again.
  private var waiting: [DocumentNumber] = []
  private(set) var due: [DocumentNumber] = []
  /// With some that are active again.
  private var resting = NumberQueue()

  package var count: Int { inOrder.count }

  /// Of a document that is open.
  package subscript(number: DocumentNumber) -> DocumentState {
    get { states[number.place] }
    _modify { yield &states[number.place] }
  }

  /// Looks at a document where it stands. A pointer to it, since a borrowed value of this size is copied before it is
  /// handed over, and a copy counts all that it owns.
  @inline(__always)
  func look<Value>(at number: DocumentNumber, _ body: (UnsafePointer<DocumentState>) -> Value) -> Value {
    states.withUnsafeBufferPointer { body($0.baseAddress! + number.place) }
  }

  package func contains(_ number: DocumentNumber) -> Bool {
    turns.indices.contains(number.place) && turns[number.place] == number.turn && states[number.place].isOpen
  }

  package func number(of document: DocumentID) -> DocumentNumber? { numbers[document] }

  func numbers(under topic: UInt32) -> [DocumentNumber] { byTopic[topic] ?? [] }

  // MARK: Opening and closing

  mutating func insert(_ state: DocumentState) -> DocumentNumber {
    precondition(numbers[state.id] == nil, "'\(state.id)' is opened twice.")
    let number: DocumentNumber
    if let place = free.popLast() {
      turns[place] += 1
      number = DocumentNumber(place: place, turn: turns[place])
      states[place] = state
    } else {
      number = DocumentNumber(place: states.count)
      turns.append(0)
      states.append(state)
    }
    inOrder.insert(number, at: placeInOrder(of: state.id))
    numbers[state.id] = number
    for topic in state.topics { byTopic[topic, default: []].append(number) }
    return number
  }

  mutating func remove(_ number: DocumentNumber) {
    let state = self[number]
    numbers[state.id] = nil
    for topic in state.topics {
      byTopic[topic]?.removeAll { $0 == number }
      if byTopic[topic]?.isEmpty == true { byTopic[topic] = nil }
    }
    inOrder.remove(at: placeInOrder(of: state.id))
    if state.attention == .active { active.removeAll { $0 == number } }
    if state.isAmongWaiting { waiting.removeAll { $0 == number } }
    if state.isDue { due.removeAll { $0 == number } }
    states[number.place] = .closed(as: state.id)
    free.append(number.place)
  }

  /// Found by halves: peers may have thousands opened one after the other.
  private func placeInOrder(of id: DocumentID) -> Int {
    var (low, high) = (0, inOrder.count)
    while low < high {
      let middle = (low + high) / 2
      if self[inOrder[middle]].id.name < id.name { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: What is looked after

  /// Has the document reviewed with each tick until nothing of it is awaited any more, and with the next heartbeat.
  mutating func activate(_ number: DocumentNumber) {
    noteDue(number)
    states[number.place].wasActive = true
    guard self[number].attention != .active else { return }
    self[number].attention = .active
    active.append(number)
  }

  /// Whether a document is reviewed with the next tick, or soon.
  var isAwaiting: Bool { !active.isEmpty || !waiting.isEmpty }

  /// What is known of the peers of a document that waits is other than it was: its time is to be found out again.
  mutating func noteNews(of number: DocumentNumber) { states[number.place].restsUntil = .zero }

  /// The next tick reviews those too that wait for time alone and whose time has come.
  mutating func activateWaiting(now: Duration) {
    var kept = 0
    for place in waiting.indices {
      let number = waiting[place]
      let isWaiting = states[number.place].attention == .waiting
      if isWaiting, now < states[number.place].restsUntil {
        waiting[kept] = number
        kept += 1
        continue
      }
      states[number.place].isAmongWaiting = false
      guard isWaiting else { continue }
      states[number.place].attention = .active
      active.append(number)
    }
    waiting.removeLast(waiting.count - kept)
  }

  /// After a tick: how each of the active documents is looked after from now on.
  ///
  /// - Parameter durable: what the log holds of one.
  mutating func review(isLogFailing: Bool, durable: (DocumentID) -> VersionVector) {
    var kept = 0
    for place in active.indices {
      let number = active[place]
      let attention = attention(to: number, isLogFailing: isLogFailing, durable: durable)
      switch attention {
      case .active:
        active[kept] = number
        kept += 1
      case .waiting:
        if !states[number.place].isAmongWaiting { waiting.append(number) }
        states[number.place].isAmongWaiting = true
        states[number.place].restsUntil = look(at: number) { $0.pointee.session.restsUntil } ?? .zero
      case .idle: noteResting(number)
      }
      states[number.place].attention = attention
    }
    active.removeLast(active.count - kept)
  }

  /// Part by part: a question to the whole state would have it copied.
  private func attention(
    to number: DocumentNumber, isLogFailing: Bool, durable: (DocumentID) -> VersionVector
  ) -> DocumentState.Attention {
    look(at: number) { state in
      if state.pointee.leaseClient.isAwaited || state.pointee.isWatched || state.pointee.isPresent
        || state.pointee.acknowledgements.areDue(isLogFailing: isLogFailing, durable: durable(state.pointee.id))
      {
        return .active
      }
      return state.pointee.session.isIdle ? .idle : .waiting
    }
  }

  /// The next heartbeat looks at the document.
  mutating func noteDue(_ number: DocumentNumber) {
    guard !self[number].isDue else { return }
    self[number].isDue = true
    due.append(number)
  }

  mutating func takeDue() -> [DocumentNumber] {
    defer { due = [] }
    return due
  }

  // MARK: What may be closed

  /// The document is looked at, once all others that rest have been.
  mutating func noteResting(_ number: DocumentNumber) {
    guard !states[number.place].isAmongResting else { return }
    states[number.place].isAmongResting = true
    states[number.place].wasActive = false
    resting.append(number)
  }

  /// The next of those that rest, which was not used since it was noted; nil where the next one was: it goes to the end.
  mutating func takeResting() -> DocumentNumber? {
    guard let number = resting.popFirst(), contains(number) else { return nil }
    states[number.place].isAmongResting = false
    guard states[number.place].attention == .idle else { return nil }
    guard states[number.place].wasActive else { return number }
    noteResting(number)
    return nil
  }

  package var restingCount: Int { resting.count }
}

/// Numbers, first in, first out.
private struct NumberQueue: Sendable {
  private var numbers: [DocumentNumber] = []
  private var first = 0

  var count: Int { numbers.count - first }

  mutating func append(_ number: DocumentNumber) { numbers.append(number) }

  mutating func popFirst() -> DocumentNumber? {
    guard first < numbers.count else { return nil }
    defer {
      first += 1
      if 2 * first > numbers.count {
        numbers.removeFirst(first)
        first = 0
      }
    }
    return numbers[first]
  }
}
