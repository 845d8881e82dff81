public import StarlingCore
public import StarlingEngine
import StarlingGuard

/// Something that a model could not do. It is reported and does not stop the program, because another replica may have
/// caused it.
public enum ModelIncident: Sendable, Hashable {
  /// A write to an object that a replica removed, with the property ("Task.prio"). The write was dropped.
  case writeToRemoved(ObjectID, property: String)
  /// A write to a model of a past version (`PastDocument`), with the property ("Task.prio"). The write was dropped.
  case writeToPast(property: String)
  /// An object that cannot move was put in a second place. The write was dropped.
  case attachedTwice(type: String)
  /// A model was put into itself, or into a model within it. The write was dropped.
  case movedIntoItself(type: String)
  /// A model that an earlier transaction had removed was put somewhere. The write was dropped.
  case placedAfterRemoval(type: String)
  /// A reference to an object that is in no document, or in another one. The write was dropped.
  case detachedReference(type: String)
  /// The document holds a value of another type. The default is shown, and the value stays.
  case unreadable(UnreadableValue)
  /// A value could not be encoded. Null was written.
  case unencodable(type: String, reason: String)
  /// A write through a binding whose element is gone. The write was dropped.
  case bindingToNothing
  /// A binding was used off the actor of its source. A write is made on that actor; a read shows what was last read
  /// there. `property` is the property that it binds, or its class; nil if it binds no object's property.
  case bindingElsewhere(property: String?, type: String, isWrite: Bool)
  /// In debug builds: a model was used off the actor that it was opened on, first at this property.
  case usedElsewhere(property: String, isWrite: Bool)
  /// In debug builds: a model was opened in an initializer without an isolation. In an actor's own initializer the
  /// actor is not its isolation yet. Pass `isolation: nil` if that is meant.
  case openedInInitializer(type: String, name: String)
  /// In debug builds: a number was changed in place (`+=`) while another thread wrote it. That write is lost.
  case racedEdit(property: String)
  /// A write that is larger than any peer takes. Neither it nor its transaction was made, and the document is
  /// unchanged. A transaction whose body may throw throws `OversizedWrite` in place of this.
  case oversized(OversizedWrite)
  /// A presence value of more than 4 KiB, or a key that is empty or has more than 200 bytes. The value was not sent.
  case presenceTooLarge(key: String)

  /// A write waited for another thread's transaction, which was waiting for the writing thread or took too long. The
  /// write became part of that transaction.
  case joinedTransaction(JoinedTransaction)

  package static func report(_ incident: ModelIncident) {
    ModelDiagnostics.handler(incident)
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
