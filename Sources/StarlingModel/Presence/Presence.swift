import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard

/// What each process that has a document open tells about itself for a while: its cursor, its field, its row. Presence
/// is stored nowhere.
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
/// A value ends when its process sets another one or leaves, and, if the process was killed or cut off, once others
/// have received nothing from it for the key's lifetime. Each key is observed on its own. Presence is no part of the
/// document: it has no history, is in no transaction, and becomes visible at any moment, to observers in a job on their
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

  /// The value of this process under `key`; nil ends it.
  ///
  /// A value of more than 4 KiB is not sent, and reported (`ModelIncident.presenceTooLarge`).
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

  /// The values of the other processes under `key`, in the order of their ids. Values that cannot be read as the key's
  /// type are left out.
  ///
  /// - Complexity: O(*n*) in the values of all other processes of the document.
  public func others<Content>(_ key: PresenceKey<Content>) -> [Peer<Content>] {
    track(key.name)
    return handle.othersPresence(at: key.name).compactMap { origin, value in
      key.decode(value).map { Peer(id: PeerID(rawValue: origin), content: $0) }
    }
  }

  /// The other processes whose value under `key` is `content`: those in one field, for example.
  ///
  /// - Complexity: O(*n*) in the values of all other processes of the document.
  public func others<Content: Equatable>(_ key: PresenceKey<Content>, at content: Content) -> [PeerID] {
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

/// A name of presence values and their type: a value that replicates, or an enum with a raw value.
public struct PresenceKey<Content>: Sendable {
  /// 1 to 200 bytes of UTF-8; the same in all programs of the group.
  public let name: String
  /// How long others show a value after they last received something from its process; a millisecond to an hour.
  public let lifetime: Duration

  let encode: @Sendable (Content) -> Value
  /// Nil for what cannot be read as the content: another program's.
  let decode: @Sendable (Value) -> Content?
}

extension PresenceKey {
  /// A key for values that replicate.
  public init(_ name: String, lifetime: Duration = .seconds(10))
  where Content: ReplicatedValue & SendableMetatype {
    self.init(name: name, lifetime: lifetime, encode: \.replicated, decode: { Content(replicated: $0) })
  }

  /// A key for values that have a raw value.
  public init(_ name: String, lifetime: Duration = .seconds(10))
  where Content: RawRepresentable & SendableMetatype, Content.RawValue: ReplicatedValue & SendableMetatype {
    self.init(
      name: name, lifetime: lifetime, encode: \.rawValue.replicated,
      decode: { Content.RawValue(replicated: $0).flatMap { Content(rawValue: $0) } })
  }

  /// A key for values that replicate and have a raw value; they are sent as they replicate.
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

/// The value of one other process.
public struct Peer<Content>: Identifiable {
  /// The process.
  public let id: PeerID
  /// Its value.
  public let content: Content
}

extension Peer: Sendable where Content: Sendable {}
extension Peer: Equatable where Content: Equatable {}
extension Peer: Hashable where Content: Hashable {}

/// Identifies one run of one process.
public struct PeerID: Sendable, Hashable, CustomStringConvertible {
  /// A number that no other run of the group has.
  public let rawValue: UInt64

  /// Names a peer by the number that it was given.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  public var description: String { String(rawValue, radix: 16) }
}
