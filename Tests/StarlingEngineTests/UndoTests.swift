import StarlingCore
import StarlingEngine
import StarlingGuard
import Testing

@Suite struct `A document with a history for undo` {
  private func handle(_ number: UInt64) -> DocumentHandle {
    DocumentHandle(id: DocumentID("library")!, replica: ReplicaID(rawValue: number)) { 1_000 + number }
  }

  private func set(_ key: Key, _ value: Int64, in handle: DocumentHandle) {
    handle.write { $0.set(.integer(value), for: key, in: .root, patch: &$1) }
  }

  private func value(_ key: Key, in handle: DocumentHandle) -> Visible {
    handle.read { $0.visible(key, in: .root) }
  }

  @Test func `undoes what was done here, and never what came from elsewhere`() throws {
    let (here, there) = (handle(1), handle(2))
    here.keepHistoryForUndo(limit: UndoHistory.Limit())
    set("a", 1, in: here)
    there.merge(here.takeOutbox())
    set("b", 2, in: there)
    here.merge(there.takeOutbox())
    #expect(try here.undo())
    #expect(try !here.undo())
    there.merge(here.takeOutbox())
    for handle in [here, there] {
      #expect(value("a", in: handle) == .absent)
      #expect(value("b", in: handle) != .absent)
    }
    #expect(!here.undoSteps.canUndo && here.undoSteps.canRedo)
    #expect(try here.redo())
    #expect(value("a", in: here) != .absent)
  }

  @Test func `takes a transaction for one step, by its message`() throws {
    let here = handle(1)
    here.keepHistoryForUndo(limit: UndoHistory.Limit())
    here.beginTransaction()
    set("a", 1, in: here)
    set("b", 2, in: here)
    #expect(try !here.undo())
    here.endTransaction(message: "Borrow")
    #expect(here.undoSteps.undoName == "Borrow")
    #expect(try here.undo())
    #expect(value("a", in: here) == .absent && value("b", in: here) == .absent)
    #expect(here.undoSteps.redoName == "Borrow")
  }

  @Test func `joins steps where the caller says so, and leaves out what he leaves out`() throws {
    let here = handle(1)
    here.keepHistoryForUndo(limit: UndoHistory.Limit())
    set("a", 1, in: here)
    here.joinNextStep()
    set("b", 2, in: here)
    here.withoutUndo { set("c", 3, in: here) }
    #expect(try here.undo())
    #expect(value("a", in: here) == .absent && value("b", in: here) == .absent)
    #expect(value("c", in: here) != .absent)
    #expect(!here.undoSteps.canUndo)
  }

  @Test func `takes what is typed on for one step, within the pause and until the caller ends it`() throws {
    let time = Guarded<UInt64>(1_000)
    let here = DocumentHandle(id: DocumentID("library")!, replica: ReplicaID(rawValue: 1)) { time.withLock { $0 } }
    here.keepHistoryForUndo(limit: UndoHistory.Limit(), typingPause: .milliseconds(500))
    let text = ObjectID.derived(parent: .root, key: "text", kind: .text)
    func type(_ character: String, after milliseconds: UInt64) {
      time.withLock { $0 += milliseconds }
      here.write { document, patch in
        document.declare(.text, for: "text", in: .root)
        document.insert(character, at: document.count(in: text), in: text, patch: &patch)
      }
    }
    type("a", after: 0)
    type("b", after: 500)
    type("c", after: 501)
    here.joinNextStep()
    here.endUndoStep()
    type("d", after: 1)
    type("e", after: 1)
    var seen: [String] = []
    while try here.undo() { seen.append(here.read { $0.text(in: text) }) }
    #expect(seen == ["abc", "ab", ""])
  }

  @Test func `tells readers what an undo altered, and those that show what there is to undo`() throws {
    let here = handle(1)
    here.keepHistoryForUndo(limit: UndoHistory.Limit())
    let keys = Guarded<[Key]>([])
    let told = Guarded(0)
    here.onPatch { patch in keys.withLock { $0 += patch.entries.map(\.key) } }
    here.onUndo { told.withLock { $0 += 1 } }
    set("a", 1, in: here)
    #expect(keys.withLock { $0 }.isEmpty && told.withLock { $0 } == 1)
    _ = try here.undo()
    #expect(keys.withLock { $0 } == ["a"] && told.withLock { $0 } == 2)
  }

  @Test func `keeps nothing unless somebody asks for it`() throws {
    let here = handle(1)
    set("a", 1, in: here)
    #expect(try !here.undo())
    here.keepHistoryForUndo(limit: UndoHistory.Limit())
    #expect(!here.undoSteps.canUndo)
  }
}
