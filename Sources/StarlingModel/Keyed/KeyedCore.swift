public import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard

/// What stands behind a `ReplicatedSet` or `ReplicatedDictionary`: its members as they are visible
/// here, and a source for each key, for the count and for which keys there are.
///
/// ```
///   dictionary["a"]   reads  source of "a"
///   dictionary.count  reads  source of the count
///   for … in          reads  source of the keys, then of each key it takes a value of
/// ```
///
/// Members are guarded by their own lock, the innermost, and change nested under the document's once
/// the collection is attached. They are named by `Key`, so that no hash or `==` of the user's runs there.
class KeyedCore: @unchecked Sendable {
  // Sendable: `binding` is set once; subclasses guard what they add.
  let home = Home()
  let observation = CoarseObservation()
  private let binding_ = Once<KeyedBinding>()

  /// Where the collection stands; nil while it is detached.
  var binding: KeyedBinding? { binding_.ifMade }
  /// Runs `body` on the same, where there is one; no reference is counted for that.
  @inline(__always)
  func withBinding<Result>(_ body: (KeyedBinding) -> Result) -> Result? { binding_.withMade(body) }
  /// The object that owns it.
  var attachment: Attachment? { binding?.attachment }

  /// The container in the document.
  var object: ObjectID { binding?.object ?? .root }
  var lineage: Lineage { binding?.lineage ?? Lineage(base: .root) }
  /// The key under which the object is derived from its owner, once it is.
  var propertyKey: Key { lineage.steps.last!.key }

  /// - Returns: Whether the collection was on its own until now.
  func bind(_ binding: KeyedBinding) -> Bool {
    var isFirst = false
    _ = binding_.value {
      isFirst = true
      return binding
    }
    if isFirst { _ = home.attach(to: binding.attachment.space.domain) }
    return isFirst
  }

  /// Has the collection stand in a document, unless another does that already: the object's collection of an earlier
  /// instance, which somebody may still hold, stays the object's.
  ///
  /// - Returns: The one that stands for it, which may be this one; nil if this one does from now on, and is to `show`
  ///   what the document holds.
  func stand(at place: Place, _ kind: Kind) -> KeyedCore? {
    if binding != nil { return self }
    let (owner, key) = (place.attachment, place.key)
    let object = ObjectID.derived(parent: owner.object, key: key, kind: kind)
    if let earlier = owner.space.collection(object), let former = earlier.attachment,
      type(of: earlier) == type(of: self), former.schema === owner.schema, !former.isGone
    {
      return earlier
    }
    let isFirst = bind(KeyedBinding(attachment: owner, object: object, lineage: owner.lineage.appending(key, kind)))
    return isFirst ? nil : self
  }

  /// Shows what the document holds, which tells it of changes from now on.
  func show() { preconditionFailure("abstract") }
  /// The same of one that stood there before, and did not for a while.
  func showAgain() { show() }

  deinit {
    if let binding = binding { binding.attachment.space.forget(binding.object) }
  }

  /// Whether a change at the key concerns that member alone; if not, it concerns which items stand where.
  func knows(_ key: Key) -> Bool { true }

  /// What stands at the key, noted for nobody; a model with its instance.
  func shown(at key: Key) -> Any? { preconditionFailure("abstract") }
  /// Of a list that nobody has written yet: what it shows by default.
  var shownDefault: [Any]? { nil }

  /// A member as the document shows it, ready for `store`; nil where it is what is here already.
  func decode(_ visible: Visible, at key: Key) -> AnyObject? { preconditionFailure("abstract") }
  /// Whether there is anything to store. Under the document's lock.
  func standing(of pending: AnyObject, at key: Key) -> PendingStanding { .shown }
  /// Under the document's lock.
  func store(_ pending: AnyObject, at key: Key) { preconditionFailure("abstract") }
  func tell(_ key: Key) { preconditionFailure("abstract") }

  /// Tells who has read a key that was written here; and who has read which keys there are.
  func tellWritten(_ key: Key) { preconditionFailure("abstract") }
  func tellStructure() { preconditionFailure("abstract") }

  /// The next reader of what stands at the key asks the space for its instance.
  func forgetInstance(at key: Key) {}

  /// Something is merged that will be delivered later: what nobody has read shows what it showed until then. Under the
  /// document's lock.
  func keepFormer(_ entry: Patch.Entry) {}
}

/// Whether a member that was decoded for `store` concerns a reader.
enum PendingStanding {
  case shown
  /// Nobody has read it, so nobody is told.
  case unread
  /// Somebody has read it since.
  case outOfDate
}

/// Where a keyed collection stands.
final class KeyedBinding: Sendable {
  // A class: to hold it counts one reference, not one for each part.
  let attachment: Attachment
  let object: ObjectID
  let lineage: Lineage

  init(attachment: Attachment, object: ObjectID, lineage: Lineage) {
    self.attachment = attachment
    self.object = object
    self.lineage = lineage
    attachment.noteDependent()
  }
}

/// A member of a keyed collection.
@usableFromInline enum Member<Element> {
  /// A value, or a model that is in no document yet; `isDerived` if it was made by its key.
  case element(Element, isDerived: Bool)
  /// A model in the document, and its instance once an observer of the graph has read it: such a
  /// reader holds nothing itself, and must still hear of changes to the fields it read. A reader
  /// outside an observer holds what it reads, or that is released: going over a large dictionary leaves
  /// nothing behind.
  case object(ObjectID, Lineage, Element?)
}

extension _Replicated {
  /// How the elements of a collection stand in the document. None is called with a lock held.
  public protocol KeyedElements<Element> {
    /// The type of the elements.
    associatedtype Element
    /// What tells an element from others when one array is compared with another.
    associatedtype Identity: Hashable
    /// What tells `element` from others; equal elements may share it.
    func identity(of element: Element) -> Identity
    /// Whether replacing `old` by `new` would change nothing that anyone could see.
    func isSame(_ old: Element, _ new: Element) -> Bool
    /// What the document must be told for `element` to stand at `place`; nil for what cannot stand there, which is
    /// reported.
    ///
    /// - Parameters:
    ///   - element: The value or the model.
    ///   - place: Where it is to stand in the document.
    ///   - isDerived: Whether the object's identity follows from the place; otherwise it is assigned.
    func write(_ element: Element, at place: Place, isDerived: Bool) -> FieldWrite?
    /// The instance that shows `object`; nil where elements are values.
    func instance(of object: ObjectID, _ lineage: Lineage, at place: Place) -> Element?
    /// A new element for an entry that is to be made; nil where elements are values.
    func make() -> Element?
    /// The element that a stored value spells; nil where it spells none, and where elements are objects.
    func value(_ value: Value, at place: @autoclosure () -> Place) -> Element?
    /// Whether the elements are objects of the document, not values.
    var holdsObjects: Bool { get }
    /// The object that an element has become.
    func object(of element: Element) -> (ObjectID, Lineage)?
  }
}
