/// What one replica did, and undid, as far as it can be undone and done again (Protocol/merge.md, "Undoing").
///
/// ```
///   add ──► done [ 1 ][ 2 ][ 3 ] ── undo ──► undone [ 3⁻¹ ]
///                              ◄── redo ──
/// ```
///
/// A step is what one local change did, or several that type on in one place. Undoing it writes, as a change like any
/// other, the opposite of what still holds of it, and what that did makes the step that redo undoes. So nobody else's
/// edit is ever undone: a slot that was written since, text that was removed by others, an element that was moved on
/// are left alone.
///
/// It is a value beside the document: a copy of both goes its own way. It does not outlive the process.
public struct UndoHistory: Sendable {
  /// How much it keeps; the oldest steps go first.
  public struct Limit: Hashable, Sendable {
    public var stepCountMax: Int
    /// Roughly what it takes in memory; most of it is what was removed or overwritten.
    public var byteCountMax: Int

    public init(stepCountMax: Int = 200, byteCountMax: Int = 16 << 20) {
      self.stepCountMax = stepCountMax
      self.byteCountMax = byteCountMax
    }
  }

  private struct Step: Sendable {
    var name: String?
    var undoRecords: [UndoRecord]
    /// When it came: what took something's place since has this number or a greater one.
    var number: UInt64
    var byteCount: Int
    /// When the latest of its changes was written, in milliseconds.
    var time: UInt64
  }

  public let limit: Limit
  /// How long somebody may pause who types on in the same step; nil where each change is a step.
  public let typingPause: Duration?
  private var done: [Step] = []
  private var undone: [Step] = []
  /// What all steps take in memory.
  private var byteCount = 0
  private var names = IDRemappings()
  /// Whether the latest step was added rather than redone, so that more can join it.
  private var isOpenForMore = false

  /// - Parameters:
  ///   - limit: How many steps, and how many bytes of them, are kept at most.
  ///   - typingPause: How long somebody may pause between two changes that are one step because the second types on
  ///     where the first ended, or takes away one more character beside the one that went; nil if none are.
  public init(limit: Limit = Limit(), typingPause: Duration? = nil) {
    self.limit = limit
    self.typingPause = typingPause
  }

  /// Whether there is a step to undo. It may turn out that nothing of it holds any more.
  public var canUndo: Bool { !done.isEmpty }
  /// Whether there is a step to do again; as `canUndo`.
  public var canRedo: Bool { !undone.isEmpty }
  /// The name of the step that `undo` would undo.
  public var undoName: String? { done.last?.name }
  /// The name of the step that `redo` would do again.
  public var redoName: String? { undone.last?.name }

  /// Adds what a change did; what was undone before cannot be done again after that.
  ///
  /// It is one step with the latest one if that was neither undone nor ended since and the change types on in its place
  /// (`typingPause`). A line break begins a step, as does a change that did anything else besides.
  ///
  /// - Parameters:
  ///   - recording: What was written, and how to reverse it.
  ///   - name: What the step is called.
  ///   - joinsPrevious: whether it is one step with the latest one in any case.
  /// - Complexity: O(what the change did)
  public mutating func add(_ recording: Recording, name: String? = nil, joinsPrevious: Bool = false) {
    guard !recording.isEmpty else { return }
    byteCount -= undone.reduce(0) { $0 + $1.byteCount }
    undone = []
    if isOpenForMore, joinsPrevious || typesOn(recording, name) {
      join(recording, name)
    } else {
      done.append(step(recording, name))
    }
    isOpenForMore = true
    trim()
  }

  /// Ends the latest step: what is added next begins another one.
  public mutating func endStep() { isOpenForMore = false }

  /// Undoes the latest step that still has an effect, in the change that is open; later ones, without any, are dropped.
  ///
  /// What is too large for a change is not written (`Document.takeRefusal` tells); `redo` takes back what was.
  ///
  /// - Returns: Whether anything was written.
  /// - Complexity: O(what the step wrote and took away, times log *n*); O(slots) where an object comes back.
  public mutating func undo(in document: inout Document, patch: inout Patch) -> Bool {
    while let step = done.popLast() {
      byteCount -= step.byteCount
      if let inverse = inverse(of: step, in: &document, patch: &patch) {
        undone.append(inverse)
        trim()
        return true
      }
    }
    trim()
    return false
  }

  /// Does the latest undone step again, as far as it still holds, in the change that is open.
  ///
  /// - Returns: Whether anything was written.
  public mutating func redo(in document: inout Document, patch: inout Patch) -> Bool {
    while let step = undone.popLast() {
      byteCount -= step.byteCount
      if let inverse = inverse(of: step, in: &document, patch: &patch) {
        done.append(inverse)
        trim()
        return true
      }
    }
    trim()
    return false
  }

  /// Forgets all steps.
  public mutating func removeAll() {
    done = []
    undone = []
    byteCount = 0
    trim()
  }

  // MARK: Steps

  private mutating func step(_ recording: Recording, _ name: String?) -> Step {
    names.number += 1
    let step = Step(
      name: name, undoRecords: recording.undoRecords, number: names.number, byteCount: recording.byteCount,
      time: recording.time)
    byteCount += step.byteCount
    return step
  }

  /// Whether a change goes on with what the latest step ends with, soon enough and under the same name.
  private func typesOn(_ recording: Recording, _ name: String?) -> Bool {
    guard let typingPause, let step = done.last, name == nil || name == step.name, recording.undoRecords.count == 1,
      let former = step.undoRecords.last
    else { return false }
    // A clock that was set back says nothing.
    let pause = recording.time > step.time ? recording.time - step.time : 0
    return .milliseconds(pause) <= typingPause && recording.undoRecords[0].typesOn(after: former)
  }

  private mutating func join(_ recording: Recording, _ name: String?) {
    guard var step = done.popLast() else { return }
    byteCount -= step.byteCount
    for undoRecord in recording.undoRecords {
      if let joined = step.undoRecords.last?.joined(with: undoRecord) {
        step.undoRecords[step.undoRecords.count - 1] = joined
      } else {
        step.undoRecords.append(undoRecord)
        step.byteCount += undoRecord.byteCount
      }
    }
    step.name = step.name ?? name
    step.time = recording.time
    byteCount += step.byteCount
    done.append(step)
  }

  /// Undoes a step.
  ///
  /// - Returns: What that did; nil if nothing.
  private mutating func inverse(of step: Step, in document: inout Document, patch: inout Patch) -> Step? {
    precondition(document.isWriting, "Undoing writes: call `begin(as:now:)` first.")
    isOpenForMore = false
    document.openTexts()
    var undoing = Undoing(names)
    let recording = document.recording { undoing.undo(step.undoRecords, in: &$0, patch: &patch) }
    names = undoing.names
    return recording.isEmpty ? nil : self.step(recording, step.name)
  }

  private mutating func trim() {
    var excess = done.count - limit.stepCountMax
    let namesByteCount = names.count * IDRemappings.byteCount
    // The oldest are the first of those done; only then of those undone.
    var count = 0
    while count < done.count, excess > 0 || byteCount + namesByteCount > limit.byteCountMax {
      byteCount -= done[count].byteCount
      excess -= 1
      count += 1
    }
    if count > 0 { done.removeFirst(count) }
    while byteCount + namesByteCount > limit.byteCountMax, !undone.isEmpty {
      byteCount -= undone.removeFirst().byteCount
    }
    // Both ascend by their numbers.
    names.forget(before: min(done.first?.number ?? .max, undone.first?.number ?? .max))
  }
}

extension Recording {
  fileprivate var byteCount: Int { undoRecords.reduce(0) { $0 + $1.byteCount } }
}

extension Document {
  /// Records what `body` writes by itself, whatever is recorded of the change around it.
  fileprivate mutating func recording(_ body: (inout Document) -> Void) -> Recording {
    let (wasRecording, outer) = (open.isRecording, open.recording)
    open.isRecording = true
    open.recording = Recording()
    body(&self)
    let recording = open.recording
    open.isRecording = wasRecording
    open.recording = outer
    return recording
  }
}
