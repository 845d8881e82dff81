import StarlingCore
import StarlingSession
import StarlingWire

/// What an engine keeps for one open document, beside what `Replication` decides by. Confined to the engine's actor.
final class OpenDocument {
  let number: DocumentNumber
  let handle: DocumentHandle

  /// Empty: memory for the next outbox, and for the operations of changes to come.
  var spareOutbox: [Change] = []
  var spareOperations: [[Operation]] = []

  /// The states that peers are being sent, and the latest that is being written down for them.
  var cuts = StateCuts()
  var cutting: Task<StateCut, Never>?
  /// A checkpoint that is being written down, or stored.
  var checkpointing: Task<Void, Never>?

  var progressWatchers = ProgressWatchers()

  var id: DocumentID { handle.id }

  init(_ number: DocumentNumber, _ handle: DocumentHandle) {
    self.number = number
    self.handle = handle
  }
}
