/// Something that happens in a simulation at a moment: what a user does, or a fault. It is a value, so that a run can
/// be repeated with some of its steps left out; one that cannot be done as things stand then does nothing.
public struct Step: Hashable, Sendable {
  /// Since the beginning.
  public var microseconds: Int
  public var action: Action

  public init(_ microseconds: Int, _ action: Action) {
    self.microseconds = microseconds
    self.action = action
  }
}

/// What happens. Replicas and documents are named by their places in the simulation; times are microseconds.
public enum Action: Hashable, Sendable {
  // What users do
  /// Several edits are one change.
  case write(Int, document: Int, edits: [Edit])
  /// Calls the simulation's own activity, with a generator of this seed.
  case act(Int, document: Int, seed: UInt64)
  /// Begins a transaction, which stays open.
  case begin(Int, document: Int, canBeTakenBack: Bool)
  /// Ends the innermost transaction; one that can be, and is to be, is taken back.
  case end(Int, document: Int, isTakenBack: Bool)
  case undo(Int, document: Int)
  case redo(Int, document: Int)
  /// Says something for a while, or takes it back.
  case say(Int, document: Int, value: Int?)
  /// Waits until what was written is on its own disk, or also on the disks of so many other stores.
  case flush(Int, document: Int, others: Int)
  /// Reads a version that the replica stood at, one of the last few.
  case readHistory(Int, document: Int, pick: Int)
  case restore(Int, document: Int, pick: Int)
  /// Takes a fork, writes in it, and merges it after a while.
  case fork(Int, document: Int, edits: [Edit], asState: Bool, lasting: Int)

  // What goes wrong
  case partition(from: [Int], isOneWay: Bool, lasting: Int)
  case interrupt(Int, pick: UInt64)
  case goOffline(Int, lasting: Int)
  case freeze(Int, lasting: Int)
  case crash(Int, lasting: Int)
  case restart(Int, lasting: Int)
  /// Kills a process, and makes a backup of its disk, or puts the backup in the place of its disk.
  case exchangeBackup(Int, lasting: Int)
  case leave(Int)
  /// Ways are cut and healed in turn, each time for so long.
  case flap(from: [Int], isOneWay: Bool, each: Int, lasting: Int)
  /// The disk says that it keeps what it is told, and has nothing of it when the power goes after that time.
  case losePower(Int, lying: Int, lasting: Int)
  /// Kills a process, which comes back when all faults end: what it lacks then the others no longer have as single
  /// changes.
  case stayAway(Int)
  /// Its key may do less for a while: read, or nothing.
  case reduceRole(Int, mayRead: Bool, lasting: Int)
  /// Its owner replaces its key: its connections end, and the next ones prove the other.
  case replaceKey(Int)
  /// The hostile peer says a few things, drawn with this seed.
  case lie(seed: UInt64)
  case fillDisk(Int, lasting: Int?)
  case jumpClock(Int, by: Int)
  /// The disk fails for good until the process starts again: an error that does not pass.
  case breakDisk(Int)
  /// The log does what it is asked to and says that it failed, so that it is asked again.
  case loseLogAnswers(Int, lasting: Int)
  /// Another process runs from a copy of the store, under the same key, and makes these edits; it ends after that time.
  case runCopy(Int, document: Int, edits: [Edit], lasting: Int)
  /// Closes a process in good order and keeps its store as it is then, block by block; the next time that store, with
  /// its clean-shutdown marker, is put in the place of the present one.
  case putBackClosedStore(Int, lasting: Int)
  /// The allowlist has its key under another name from now on.
  case renameKey(Int)
}

extension Action {
  /// The sort of action, as counts name it.
  public var name: String {
    switch self {
    case .write: "write"
    case .act: "act"
    case .begin: "begin"
    case .end(_, _, let isTakenBack): isTakenBack ? "takeBack" : "end"
    case .undo: "undo"
    case .redo: "redo"
    case .say: "say"
    case .flush(_, _, let others): others == 0 ? "flush" : "flushElsewhere"
    case .readHistory: "readHistory"
    case .restore: "restore"
    case .fork: "fork"
    case .partition(_, let isOneWay, _): isOneWay ? "oneWayPartition" : "partition"
    case .interrupt: "interruption"
    case .goOffline: "absence"
    case .freeze: "freeze"
    case .crash: "crash"
    case .restart: "restart"
    case .exchangeBackup: "backup"
    case .leave: "departure"
    case .flap: "flapping"
    case .losePower: "powerLoss"
    case .stayAway: "longAbsence"
    case .reduceRole: "reducedRole"
    case .replaceKey: "replacedKey"
    case .lie: "lie"
    case .fillDisk: "diskFailure"
    case .jumpClock: "clockJump"
    case .breakDisk: "brokenDisk"
    case .loseLogAnswers: "lostLogAnswer"
    case .runCopy: "copiedStore"
    case .putBackClosedStore: "closedStorePutBack"
    case .renameKey: "renamedKey"
    }
  }

  /// The sorts of faults.
  public static let faultNames = [
    "partition", "oneWayPartition", "interruption", "absence", "freeze", "crash", "restart", "backup", "departure",
    "diskFailure", "clockJump", "flapping", "powerLoss", "longAbsence", "reducedRole", "replacedKey", "lie",
    "brokenDisk",
    "lostLogAnswer", "copiedStore", "closedStorePutBack", "renamedKey",
  ]

  /// What a whole schedule has or has not, counted beside the steps.
  public static let circumstanceNames = [
    "lyingRelay", "forgingRelay", "laterVersion", "earlierVersion", "lease", "postponedPresence",
  ]
}
