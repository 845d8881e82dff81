public import StarlingCore
public import StarlingWire

/// What is said of a document for a while, here and elsewhere, and when it is to be said again
/// (Protocol/conversation.md, "Presence").
///
/// ```
///   set ──► own ─── new, or a third of its lifetime old ──► announcements
///   receive ──► others ─── of a greater number than before ──► news, for a relay to pass on
///                  └────── lifetime passed ──► forgotten
/// ```
public struct PresenceTable: Sendable {
  public struct Limits: Hashable, Sendable {
    /// Notices held of others, and the bytes that they may take in payloads, together.
    public var noticeCountMax: Int
    public var byteCountMax: Int
    /// Bytes of one of our own notices as it is sent.
    public var ownByteCountMax: Int

    public init(noticeCountMax: Int = 4096, byteCountMax: Int = 1 << 20, ownByteCountMax: Int = 4096) {
      self.noticeCountMax = noticeCountMax
      self.byteCountMax = byteCountMax
      self.ownByteCountMax = ownByteCountMax
    }
  }

  /// One run of a peer, and what it speaks about.
  private struct Subject: Hashable {
    var origin: UInt64
    var key: String
  }

  private struct Own {
    var notice: PresenceNotice
    /// When it is to be said; nil for a withdrawal that has been said.
    var due: Duration?
  }

  private struct Heard {
    var notice: PresenceNotice
    var byteCount: Int
    var end: Duration
    /// The peer that brought it, where that peer may have only a part of the capacity.
    var bringer: String?
    /// What that key is charged.
    var charge: Int { byteCount + PresenceTable.noticeByteCount }
  }

  /// What a key is charged for each notice beside its bytes.
  private static let noticeByteCount = 128

  /// The epoch of this run.
  public let origin: UInt64
  private let limits: Limits
  private var own: [String: Own] = [:]
  private var others: [Subject: Heard] = [:]
  private var byteCount = 0
  private var charges: [String: Int] = [:]
  private var lastNumber: UInt64 = 0
  /// No notice of others ends before this.
  private var nextEnd: Duration?
  /// Keys under which something else is said than before, since they were last taken.
  private var changedKeys: Set<String> = []
  /// Notices of others that found no capacity.
  public private(set) var refusedCount = 0

  public init(origin: UInt64, limits: Limits = Limits()) {
    self.origin = origin
    self.limits = limits
  }

  /// Whether nothing is said here or by others, so that nothing has to be said again or forgotten.
  public var isEmpty: Bool { own.isEmpty && others.isEmpty }

  // MARK: Our own

  /// Says `value` under `key` until something else is said; nil withdraws it. Saying the same again is no news.
  ///
  /// - Parameter lifetimeMilliseconds: for how long others hold it after they last heard of it.
  /// - Returns: False where it is larger than may be, and was left alone: a key of no bytes or of more than
  ///   `PresenceNotice.keyByteCountMax`, or more than `Limits.ownByteCountMax` together.
  public mutating func set(_ value: Value?, at key: String, lifetimeMilliseconds: UInt64) -> Bool {
    let lifetime = min(max(lifetimeMilliseconds, 1), PresenceNotice.lifetimeMillisecondsMax)
    let former = own[key]?.notice
    guard former?.value != value || value != nil && former?.lifetimeMilliseconds != lifetime else { return true }
    let notice = PresenceNotice(
      origin: origin, number: lastNumber + 1, lifetimeMilliseconds: lifetime, key: key, value: value)
    guard (1...PresenceNotice.keyByteCountMax).contains(key.utf8.count), notice.byteCount <= limits.ownByteCountMax
    else { return false }
    lastNumber += 1
    own[key] = Own(notice: notice, due: .zero)
    if former?.value != value { changedKeys.insert(key) }
    return true
  }

  /// Withdraws all that is said here.
  public mutating func withdraw() {
    for (key, said) in own where said.notice.value != nil {
      _ = set(nil, at: key, lifetimeMilliseconds: said.notice.lifetimeMilliseconds)
    }
  }

  /// What is to be said now; in the order of the keys, so that the same calls have the same outcome in every run.
  public mutating func takeAnnouncements(now: Duration) -> [PresenceNotice] {
    // Asked with every tick.
    guard own.values.contains(where: { said in said.due.map { $0 <= now } == true }) else { return [] }
    var announcements: [PresenceNotice] = []
    for key in own.keys.sorted() {
      guard var said = own[key], let due = said.due, due <= now else { continue }
      lastNumber += 1
      said.notice.number = lastNumber
      announcements.append(said.notice)
      said.due =
        said.notice.value == nil
        ? nil : now + .milliseconds(Int64(max(said.notice.lifetimeMilliseconds / 3, 1)))
      // A withdrawal has been said; others remember it for as long as they must.
      own[key] = said.due == nil ? nil : said
    }
    return announcements
  }

  // MARK: Others'

  /// Bytes that notices of others take here, and what all keys together are charged for theirs.
  public var byteCounts: (held: Int, charged: Int) { (byteCount, charges.values.reduce(0, +)) }

  /// What the key is charged whose notices stand here: for each its bytes and 128 more.
  public func byteCount(of bringer: String) -> Int { charges[bringer] ?? 0 }

  /// Takes what others said.
  ///
  /// - Parameters:
  ///   - bringer: the key that brought it; nil for one without bounds of its own.
  ///   - bringerByteCountMax: how many bytes of its notices may stand here.
  /// - Returns: what was new, for a relay to pass on.
  public mutating func receive(
    _ notices: [PresenceNotice], from bringer: String? = nil, bringerByteCountMax: Int = .max, now: Duration
  ) -> [PresenceNotice] {
    var news: [PresenceNotice] = []
    for notice in notices where notice.origin != origin {
      let subject = Subject(origin: notice.origin, key: notice.key)
      let former = others[subject]
      if let former, former.notice.number >= notice.number { continue }
      // Of what is not known, a withdrawal says nothing; it still keeps earlier notices from coming back.
      let size = notice.byteCount
      let total = byteCount - (former?.byteCount ?? 0) + size
      let charge = size + Self.noticeByteCount
      let own = bringer.map { byteCount(of: $0) - (former?.bringer == $0 ? former?.charge ?? 0 : 0) + charge } ?? 0
      guard total <= limits.byteCountMax, former != nil || others.count < limits.noticeCountMax,
        own <= bringerByteCountMax
      else {
        refusedCount += 1
        continue
      }
      byteCount = total
      if let former { giveBack(former) }
      if let bringer { charges[bringer, default: 0] += charge }
      let end = now + .milliseconds(Int64(notice.lifetimeMilliseconds))
      others[subject] = Heard(notice: notice, byteCount: size, end: end, bringer: bringer)
      nextEnd = min(nextEnd ?? end, end)
      if former?.notice.value != notice.value { changedKeys.insert(notice.key) }
      news.append(notice)
    }
    return news
  }

  /// Forgets what has not been said again in time.
  public mutating func tick(now: Duration) {
    guard let end = nextEnd, end <= now else { return }
    for (subject, heard) in others where heard.end <= now {
      others[subject] = nil
      byteCount -= heard.byteCount
      giveBack(heard)
      if heard.notice.value != nil { changedKeys.insert(subject.key) }
    }
    nextEnd = others.values.map(\.end).min()
  }

  private mutating func giveBack(_ heard: Heard) {
    guard let bringer = heard.bringer, let count = charges[bringer] else { return }
    charges[bringer] = count > heard.charge ? count - heard.charge : nil
  }

  // MARK: Reading

  /// What is said here under `key`.
  public func own(at key: String) -> Value? { own[key]?.notice.value }

  /// What others say under `key`, by the epochs of their runs, ascending.
  ///
  /// - Complexity: O(notices held).
  public func others(at key: String) -> [(origin: UInt64, value: Value)] {
    others.values.compactMap { heard in
      guard heard.notice.key == key, let value = heard.notice.value else { return nil }
      return (heard.notice.origin, value)
    }
    .sorted { $0.origin < $1.origin }
  }

  /// All that a newcomer should know: what is said here and, of a relay, what it holds of others, each with the
  /// lifetime that is left of it.
  public func everything(includingOthers: Bool, now: Duration) -> [PresenceNotice] {
    let ours = own.values.map(\.notice).filter { $0.value != nil }
    guard includingOthers else { return ours.sorted { $0.number < $1.number } }
    let theirs = others.values.compactMap { heard -> PresenceNotice? in
      let left = heard.end - now
      guard heard.notice.value != nil, left > .zero else { return nil }
      var notice = heard.notice
      notice.lifetimeMilliseconds = max(UInt64(left / .milliseconds(1)), 1)
      return notice
    }
    return (ours + theirs).sorted { ($0.origin, $0.number) < ($1.origin, $1.number) }
  }

  /// The keys under which something else is said than when this was last called.
  public mutating func takeChangedKeys() -> Set<String> {
    defer { changedKeys = [] }
    return changedKeys
  }
}
