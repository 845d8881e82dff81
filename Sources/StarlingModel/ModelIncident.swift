public import StarlingCore
public import StarlingEngine
import StarlingGuard
import Foundation

/// Something a model could not do, and did not trap for: another replica may have brought it about.
public enum ModelIncident: Sendable, Hashable {
  /// A write to an object that some replica removed, by its property ("Task.prio"); it was dropped.
  case writeToRemoved(ObjectID, property: String)
  /// A write to a model of a past version (`PastDocument`), by its property ("Task.prio"); it was dropped.
  case writeToPast(property: String)
  /// An object that already lives in one place was put in another; the write was dropped.
  case attachedTwice(type: String)
  /// A model was put into itself, or into what stands in it; the write was dropped.
  case movedIntoItself(type: String)
  /// A model was put somewhere that had been removed before, in a transaction that has ended; the write was dropped.
  case placedAfterRemoval(type: String)
  /// A reference to an object that is in no document, or in another one; the write was dropped.
  case detachedReference(type: String)
  /// The document holds a value of another type; the default is shown, the value kept.
  case unreadable(UnreadableValue)
  /// A value could not be encoded; null was written.
  case unencodable(type: String, reason: String)
  /// A write through a binding whose element is gone; it was dropped.
  case bindingToNothing
  /// A binding was used off the actor that its source belongs to: a write is made there, a read shows what was read
  /// there last. `property` is what it leads to, or the class that this belongs to; nil where it leads to no object's.
  case bindingElsewhere(property: String?, type: String, isWrite: Bool)
  /// In debug builds: a model was used off the actor that it was opened on, first at this property.
  case usedElsewhere(property: String, isWrite: Bool)
  /// In debug builds: a model was opened in an initializer on no isolation, and nobody said that this is meant. In an
  /// actor's own initializer no actor stands behind it yet.
  case openedInInitializer(type: String, name: String)
  /// In debug builds: a number was changed in place (`+=`) while another thread wrote it, whose write is lost.
  case racedEdit(property: String)
  /// A write that is larger than any peer takes; it was not made, nor the transaction that it is part of, and what stood
  /// there stands. A transaction whose body may throw throws it in place of this.
  case oversized(OversizedWrite)
  /// What is said of presence under this key is larger than 4 KiB, or the key is empty or has more than 200 bytes; it
  /// was not said.
  case presenceTooLarge(key: String)

  /// A write waited for the end of another thread's transaction, which was waiting for the writing thread or took too long;
  /// it became part of that transaction.
  case joinedTransaction(JoinedTransaction)

  private struct Handler {
    var body: @Sendable (ModelIncident) -> Void
  }

  private static let handler = Guarded(
    Handler { incident in FileHandle.standardError.write(Data("Starling: \(incident)\n".utf8)) })

  /// Calls `handler` from now on, on the thread on which the incident happens. Until then a line is
  /// written to standard error.
  public static func handle(_ handler: @escaping @Sendable (ModelIncident) -> Void) {
    self.handler.withLock { $0.body = handler }
  }

  package static func report(_ incident: ModelIncident) {
    handler.withLock { $0.body }(incident)
  }

  /// A write was refused for its size: the transaction that it is part of is taken back, and throws that. One by itself
  /// is reported.
  static func refuse(_ write: OversizedWrite) {
    if let scope = TransactionScope.current { scope.note(refusal: write) } else { report(.oversized(write)) }
  }

  /// Incidents that were reported once; as many as the program has properties to misuse.
  private static let reported = Guarded(Set<ModelIncident>())

  package static func reportOnce(_ incident: ModelIncident) {
    if reported.withLock({ $0.insert(incident).inserted }) { report(incident) }
  }
}

extension ModelIncident: CustomStringConvertible {
  public var description: String {
    switch self {
    case .writeToRemoved(_, let property):
      "a write to \(property) was dropped, for its object has been removed"
    case .writeToPast(let property):
      "a write to \(property) was dropped, for its model shows what stood at a past version and never changes; write the "
        + "replica's own model, or bring the version back with Replica.restore(to:)"
    case .attachedTwice(let type):
      "a \(type) that is declared by its class, named, or made by its key, or lives in another document, was put in a second "
        + "place; use ReplicatedReference<\(type)> to point at it"
    case .movedIntoItself(let type):
      "a \(type) was moved into itself, or into what stands in it; it stays where it is"
    case .placedAfterRemoval(let type):
      "a \(type) that was removed was put somewhere afterwards; to move it, remove and insert it in one withTransaction, "
        + "or insert it alone, which takes it away from where it stood"
    case .detachedReference(let type):
      "a reference to a \(type) that is in no document, or in another one, was dropped"
    case .unreadable(let value):
      "\(value); the default is shown"
    case .unencodable(let type, let reason):
      "a \(type) could not be encoded (\(reason))"
    case .bindingToNothing:
      "a write through a binding whose element is gone was dropped"
    case .bindingElsewhere(let property, let type, let isWrite):
      "a Binding<\(type)>\(property.map { " to \($0)" } ?? "") was \(isWrite ? "written" : "read") off the actor that its "
        + "source belongs to; "
        + (isWrite ? "the write is made there" : "it showed what was read there last")
    case .usedElsewhere(let property, let isWrite):
      "\(property) was \(isWrite ? "written" : "read") off the actor that its model was opened on, where nothing should "
        + "change between two lines; go there first, or open the model with 'isolation: nil'"
    case .openedInInitializer(let type, let name):
      "the \(type) named '\(name)' was opened in an initializer, on no isolation: in an actor's own, remote changes become "
        + "visible between two of its lines. Open it in a method of the actor, or say 'isolation: nil' if that is meant"
    case .racedEdit(let property):
      "\(property) was changed in place while another thread wrote it: of two that add to a number at once, one is lost. "
        + "Declare it a ReplicatedCounter, whose increments add up, or write it from one actor"
    case .oversized(let write):
      "a write was refused: \(write)"
    case .joinedTransaction(let write): "\(write)"
    case .presenceTooLarge(let key):
      "what was said of presence under '\(key.prefix(40))' was left out: a key has 1 to 200 bytes, and with what it says 4 KiB"
    }
  }
}
