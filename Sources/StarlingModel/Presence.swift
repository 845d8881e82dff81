import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard

/// Who has a document open, and what they are at: the cursor, the field, the row of each process, said for a while and
/// kept nowhere.
///
/// ```swift
/// enum Field: String { case title, blurb }
///
/// extension PresenceKey<Field> {
///   static let field = PresenceKey("field")
/// }
///
/// presence[.field] = .title                       // seen by everyone who has the document open
/// for other in presence.others(.field) {          // an observer that reads this wakes when it changes
///   print("\(other.id) is in \(other.content)")
/// }
/// ```
///
/// What a process says ends when it says something else, when it leaves, and, if it was killed or cut off, once others
/// have not heard of it for the key's lifetime. Each key is a source of its own. Presence is no part of the document:
/// it has no history, is in no transaction, and becomes visible at any moment, to observers in a job on their
/// isolation.
public final class Presence: Sendable {
  private let handle: DocumentHandle
  /// Of the replica, which goes on for as long as this is held.
  private let lifetime: EngineLifetime?
  private let home = Home()
  private let sources = KeyedSources<String>()
  private let observation = CoarseObservation()

  init(_ handle: DocumentHandle) {
    self.handle = handle
    lifetime = handle.lifetime
    handle.onPresence { [weak self] keys in self?.touch(keys) }
  }

  /// What this process says under `key`; nil says no more.
  ///
  /// More than 4 KiB is not said, and reported (`ModelIncident.presenceTooLarge`).
  public subscript<Content>(key: PresenceKey<Content>) -> Content? {
    get {
      track(key.name)
      return handle.ownPresence(at: key.name).flatMap(key.decode)
    }
    set {
      if !handle.setPresence(newValue.map(key.encode), at: key.name, lifetime: key.lifetime) {
        ModelIncident.report(.presenceTooLarge(key: key.name))
      }
    }
  }

  /// What the other processes say under `key`, in the order of their ids; what cannot be read as the key's type is
  /// left out.
  ///
  /// - Complexity: O(what all others say of the document).
  public func others<Content>(_ key: PresenceKey<Content>) -> [Present<Content>] {
    track(key.name)
    return handle.othersPresence(at: key.name).compactMap { origin, value in
      key.decode(value).map { Present(id: PresentID(rawValue: origin), content: $0) }
    }
  }

  /// The other processes that say `content` under `key`: those who are in one field.
  ///
  /// - Complexity: O(what all others say of the document).
  public func others<Content: Equatable>(_ key: PresenceKey<Content>, at content: Content) -> [PresentID] {
    others(key).filter { $0.content == content }.map(\.id)
  }

  private func track(_ key: String) {
    observation.note { sources.track(key, in: home) }
  }

  private func touch(_ keys: Set<String>) {
    sources.touch(keys, in: home)
    observation.tell()
  }
}

extension Presence: Observable {}

/// What presence is about, and of what type it is: a value that replicates, or an enum by its raw value.
public struct PresenceKey<Content>: Sendable {
  /// 1 to 200 bytes of UTF-8; the same in all programs of the group.
  public let name: String
  /// For how long others go on seeing it once they hear of the process no more; a millisecond to an hour.
  public let lifetime: Duration

  let encode: @Sendable (Content) -> Value
  /// Nil for what cannot be read as the content: another program's.
  let decode: @Sendable (Value) -> Content?
}

extension PresenceKey {
  public init(_ name: String, lifetime: Duration = .seconds(10))
  where Content: ReplicatedValue & SendableMetatype {
    self.init(name: name, lifetime: lifetime, encode: \.replicated, decode: { Content(replicated: $0) })
  }

  public init(_ name: String, lifetime: Duration = .seconds(10))
  where Content: RawRepresentable & SendableMetatype, Content.RawValue: ReplicatedValue & SendableMetatype {
    self.init(
      name: name, lifetime: lifetime, encode: \.rawValue.replicated,
      decode: { Content.RawValue(replicated: $0).flatMap { Content(rawValue: $0) } })
  }

  public init(_ name: String, lifetime: Duration = .seconds(10))
  where
    Content: ReplicatedValue & RawRepresentable & SendableMetatype,
    Content.RawValue: ReplicatedValue & SendableMetatype
  {
    self.init(name: name, lifetime: lifetime, encode: \.replicated, decode: { Content(replicated: $0) })
  }
}

extension PresenceKey: Hashable {
  public static func == (left: PresenceKey, right: PresenceKey) -> Bool {
    left.name == right.name && left.lifetime == right.lifetime
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(lifetime)
  }
}

/// What one other process says.
public struct Present<Content>: Identifiable {
  public let id: PresentID
  public let content: Content
}

extension Present: Sendable where Content: Sendable {}
extension Present: Equatable where Content: Equatable {}
extension Present: Hashable where Content: Hashable {}

/// Names one run of one process for as long as it lasts.
public struct PresentID: Sendable, Hashable, CustomStringConvertible {
  public let rawValue: UInt64

  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  public var description: String { String(rawValue, radix: 16) }
}
