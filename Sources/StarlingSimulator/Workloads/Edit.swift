import StarlingCore

/// One thing that a user does to a document, as the models do it. The numbers choose among what the replica sees at
/// that moment, so that an edit means something, or does nothing, whatever edits before it were left out.
///
/// ```
///   holder 0   the root                       ┐ each holds the same properties: registers "a" ... "d", "ref", "child",
///          1   m, a nested object             │ the counter "count", the set "tags", the dictionary "people",
///          2   people["a"], in a dictionary   │ the list "items" and the text "body"
///          3…  an object that was assigned    ┘
/// ```
public enum Edit: Hashable, Sendable {
  // Registers, counters, sets, dictionaries
  case set(holder: Int, key: Int, value: Int)
  case remove(holder: Int, key: Int)
  /// A value of a later version, which this one cannot read.
  case setLater(holder: Int, key: Int)
  case increment(holder: Int, by: Int)
  /// Adds to the counter under a key that is a register elsewhere.
  case incrementRegister(holder: Int, key: Int)
  case addMember(holder: Int, member: Int)
  case removeMember(holder: Int, member: Int)
  case putEntry(holder: Int, key: Int, value: Int)
  case removeEntry(holder: Int, key: Int)
  /// Says that an empty collection is there, as the first write to one with a default does.
  case present(holder: Int, kind: Int)
  /// Takes away one of the collections, with all that is in it.
  case clear(holder: Int, kind: Int)

  // Objects
  case assign(holder: Int)
  case assignAt(holder: Int, key: Int)
  case refer(holder: Int, object: Int)
  case moveObject(Int, holder: Int, key: Int)
  case moveObjectIntoList(Int, holder: Int, at: Int)
  /// Takes an object out of its place, and puts it elsewhere within the same change if `holder` is given.
  case setAside(Int, holder: Int?)
  case removeObject(Int)

  // Lists
  case insert(holder: Int, at: Int, count: Int)
  case insertObject(holder: Int, at: Int)
  case removeElements(holder: Int, at: Int, count: Int)
  case move(holder: Int, from: Int, to: Int)
  case setElement(holder: Int, at: Int, value: Int)
  case incrementElement(holder: Int, at: Int)

  // Texts
  case type(holder: Int, at: Int, text: Int)
  case erase(holder: Int, at: Int, count: Int)
  case mark(holder: Int, at: Int, count: Int, name: Int, value: Int)
  case unmark(holder: Int, at: Int, count: Int, name: Int)

  /// Writes what nothing else overwrites, so that it can be looked for later: under a key, as an element, in a text.
  case witness(Int)
}

extension Edit {
  /// The sort of edit, as counts name it.
  public var name: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }
}
