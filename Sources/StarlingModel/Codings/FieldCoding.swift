public import StarlingCore

extension _Replicated {
  /// How the values of one property stand in the document. The compiler picks the coding of each
  /// property by its type (`coding(_:)`); the codings hold no state.
  ///
  /// None of these is called while a lock is held: equality, encoding and decoding may be the application's.
  public protocol FieldCoding<Content> {
    /// The property's type.
    associatedtype Content

    /// What must be read of the document to know the value.
    var shape: FieldShape { get }

    /// Whether writing `new` over `old` would change nothing that anyone could see.
    func isSame(_ old: Content, _ new: Content) -> Bool

    /// The operations that lead from what the user saw to what the user wants.
    func write(from old: Content, to new: Content, default: Content, at place: Place) -> FieldWrite

    /// The value that a reading shows; nil where it is of another kind, which reads as the default.
    func read(_ reading: FieldReading, default: Content, present: Content, at place: Place) -> Content?

    /// What a list shows that showed `present` before, and the changes too; with the members that cannot be read. Nil
    /// where the list must be read whole for that.
    func catchUp(
      _ present: Content, _ changes: ListChanges, at place: Place
    ) -> (content: Content, unread: [FieldReading.Member])?

    /// Of the members that were read, those that `content` does not show because they are of another type.
    func unread(of reading: FieldReading, in content: Content, at place: Place) -> [FieldReading.Member]

    /// For a handle that stays with its property: takes over what `new` holds. False for contents that
    /// are themselves replaced.
    func move(_ new: Content, into old: Content) -> Bool

    /// What is in the cell after a write of `new` over `old` where another thread may have put
    /// `present` there by now: `new`, except where writes add up.
    func merge(_ present: Content, from old: Content, to new: Content) -> Content
  }
}

extension FieldCoding {
  /// Whether a cell holds what it held when `seen` was read from it. The same bits are the same content, which is told
  /// without its own equality: that may be the application's, and takes as long as the content is large.
  @inlinable
  func isUntouched(_ found: Content, since seen: Content) -> Bool {
    hasSameBits(found, seen) || isSame(found, seen)
  }

  /// What the program wrote; for values that are replaced whole.
  @inlinable
  public func merge(_ present: Content, from old: Content, to new: Content) -> Content { new }

  /// Nothing: the property is read whole.
  @inlinable
  public func catchUp(
    _ present: Content, _ changes: _Replicated.ListChanges, at place: _Replicated.Place
  ) -> (content: Content, unread: [_Replicated.FieldReading.Member])? { nil }

  /// Nothing: whatever the document shows is read.
  @inlinable
  public func unread(of reading: _Replicated.FieldReading, in content: Content, at place: _Replicated.Place)
    -> [_Replicated.FieldReading.Member]
  { [] }

  /// No: the property holds what is assigned.
  @inlinable
  public func move(_ new: Content, into old: Content) -> Bool { false }
}

extension _Replicated {
  /// A coding of values that keep no readers of their own, which can therefore be fields of a record.
  public protocol PlainCoding<Content>: FieldCoding {}

  /// What of the document one property stands on.
  public enum FieldShape: Hashable, Sendable {
    /// One slot under the property's name.
    case slot
    /// The members of a container derived from the property's name.
    case members(Kind)
    /// An object that keeps its own readers: a nested model or a keyed collection.
    case object(Kind)
  }

  /// What a property's place in the document shows, as read under the document's lock.
  public struct FieldReading: Hashable, Sendable {
    /// What is visible under the property's name.
    public var visible: Visible
    /// Empty for a slot; of a list in its order.
    public var members: [Member] = []
    /// Of a list, in place of its members: what of it is not visible yet.
    var changes: ListChanges?

    /// An entry of a set or dictionary, or an element of a list.
    public struct Member: Hashable, Sendable {
      /// The entry's key; an element's name in its list.
      public var key: Key
      /// What is visible there.
      public var visible: Visible
    }
  }

  /// What a write of one property does to the document.
  public enum FieldWrite {
    /// The document stays as it is.
    case nothing
    /// A value under the property's name.
    case set(Value)
    /// No value under the property's name.
    case remove
    /// So much more in the counter under the property's name.
    case increment(Int64)
    // Apart, so that the usual write, of a value, is handed on as a few words.
    /// Changes to the members of a set or dictionary.
    indirect case members(MemberWrites)
    /// Changes to the elements of a list.
    indirect case list(ListWrites)
    /// A new object under the property's name, filled from a model that was on its own.
    case assign(Planting)
    /// An object of this document that moves here from wherever it stands.
    indirect case move(ObjectID)
    /// A model or collection that takes the derived place under the property's name.
    indirect case declare(Kind, Planting)
  }
}

extension FieldWrite {
  /// Whether the field holds nothing afterwards of what it held before.
  var replaces: Bool {
    switch self {
    case .set, .remove, .assign, .move: true
    case .nothing, .increment, .members, .list, .declare: false
    }
  }
}

extension _Replicated {
  /// Changes to the members of a set or dictionary that is read as a whole.
  public struct MemberWrites {
    /// Whether it is a set or a dictionary.
    public var kind: Kind
    /// A nil value removes.
    public var changes: [(key: Key, value: Value?)]
    /// Everything that must stand there if the container was never written and its default is not
    /// empty; nil where the default is empty.
    public var whole: [(key: Key, value: Value)]?
  }

  /// Where a property of an attached object stands.
  public struct Place {
    let attachment: Attachment
    private(set) var key: Key
    /// How many models that are on their way into the document stand around it.
    var depth = 0
    /// All that are on their way with them.
    var planted: PlantedModels?
    /// Whether the document is known to say what stands there, so that no default shows.
    var isWritten = false
    /// Of the refresh that reads it.
    var openings: Openings?

    init(attachment: Attachment, key: Key, openings: Openings? = nil) {
      self.attachment = attachment
      self.key = key
      self.openings = openings
    }

    /// Under another key of what stands there.
    func under(_ key: Key) -> Place {
      var place = self
      place.key = key
      return place
    }

    /// Whether a model that is on its own can stand there: one enters the document once, and not within itself.
    func admits<Model: ReplicatedModel>(_ model: Model) -> Bool {
      guard model._$model.attachment == nil, planted?.contains(model._$model) != true else {
        ModelIncident.report(.attachedTwice(type: "\(Model.self)"))
        return false
      }
      return true
    }
  }
}

/// The models that enter a document with one write.
final class PlantedModels {
  private var models: Set<ObjectIdentifier> = []

  func contains(_ model: ModelState) -> Bool { models.contains(ObjectIdentifier(model)) }
  func add(_ model: ModelState) { models.insert(ObjectIdentifier(model)) }
}

/// Whether the two are the same in memory, byte for byte. Equal values need not be.
@inlinable @inline(__always)
func hasSameBits<Value>(_ left: Value, _ right: Value) -> Bool {
  withUnsafeBytes(of: left) { left in
    withUnsafeBytes(of: right) { right in
      var offset = 0
      while offset + 8 <= left.count {
        guard
          left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        else { return false }
        offset += 8
      }
      while offset < left.count {
        guard left[offset] == right[offset] else { return false }
        offset += 1
      }
      return true
    }
  }
}
