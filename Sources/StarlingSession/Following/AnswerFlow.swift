public import StarlingCore
public import StarlingWire

/// How much of what one peer asked for is on its way to it, and whether more may be sent
/// (Protocol/conversation.md, "Credit").
///
/// ```
///   bytes of one answer   0 ─────── taken ─────────── sent
///                                     └ outstanding ─┘
/// ```
/// Each part counts its bytes and some more. What is outstanding of all answers stays below a window and one part: a
/// peer that stops reading costs no more, however much it asked for. An answer is given up when its requester stops
/// reading; a peer that comes back asks again.
public struct AnswerFlow: Sendable {
  /// More is sent while less than this is outstanding.
  public static let windowByteCount = 4 << 20
  /// Each part counts so much beside its bytes: the queues under a link hold only so many messages, however short.
  public static let partByteCount = 8 << 10
  /// An asker says what it has taken at least as often as this.
  public static let creditByteCount = 1 << 20
  /// How long an answer may have bytes outstanding while its requester takes none.
  public static let patience: Duration = .seconds(20)

  private struct Answer {
    let request: UInt32
    var sent = 0
    var taken = 0
    /// An answer that was sent whole is outstanding until it is taken whole.
    var isEnded = false
    /// When something of it was last taken, or when it began.
    var movedAt: Duration

    var outstanding: Int { sent - taken }
  }

  private var answers: [DocumentID: Answer] = [:]
  /// Bytes of all answers that are outstanding.
  public private(set) var outstanding = 0

  public init() {}

  public var hasCapacity: Bool { outstanding < Self.windowByteCount }

  /// How many more parts may be sent, if they are short.
  package var partCapacity: Int {
    (Self.windowByteCount - outstanding + Self.partByteCount - 1) / Self.partByteCount
  }

  /// A want came; it takes the place of an earlier one for the document.
  public mutating func begin(_ document: DocumentID, request: UInt32, now: Duration) {
    drop(document)
    answers[document] = Answer(request: request, movedAt: now)
  }

  /// Whether an answer about the document is under way, or not taken whole.
  func isAnswering(_ document: DocumentID) -> Bool { answers[document] != nil }

  /// Whether the answer to `request` is still wanted.
  public func isUnderWay(_ document: DocumentID, request: UInt32) -> Bool {
    answers[document].map { $0.request == request && !$0.isEnded } ?? false
  }

  /// A part of the answer was sent.
  public mutating func send(_ byteCount: Int, of document: DocumentID) {
    guard answers[document] != nil else { return }
    answers[document]?.sent += byteCount + Self.partByteCount
    outstanding += byteCount + Self.partByteCount
  }

  /// The answer has been sent whole.
  public mutating func end(_ document: DocumentID) {
    answers[document]?.isEnded = true
    if answers[document]?.outstanding == 0 { drop(document) }
  }

  /// The asker says what it took. What it says of another answer, and what was never sent, counts for nothing.
  public mutating func take(_ credit: Message.Credit, now: Duration) {
    guard let answer = answers[credit.document], answer.request == credit.request else { return }
    let taken = min(Int(clamping: credit.byteCount), answer.sent)
    guard taken > answer.taken else { return }
    outstanding -= taken - answer.taken
    answers[credit.document]?.taken = taken
    answers[credit.document]?.movedAt = now
    if answer.isEnded, taken == answer.sent { drop(credit.document) }
  }

  /// Gives up answers whose requester stopped reading.
  ///
  /// - Returns: whether there was one.
  public mutating func giveUp(now: Duration) -> Bool {
    let stalled = answers.filter { $0.value.outstanding > 0 && now - $0.value.movedAt >= Self.patience }.map(\.key)
    for document in stalled { drop(document) }
    return !stalled.isEmpty
  }

  private mutating func drop(_ document: DocumentID) {
    outstanding -= answers.removeValue(forKey: document)?.outstanding ?? 0
  }
}
