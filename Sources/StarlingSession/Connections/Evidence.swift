public import StarlingCore

/// Finds operations with two contents in changes that two relays hold of one version (Protocol/conversation.md,
/// "Evidence").
///
/// What two operations removed leaves no trace in the states; the changes themselves show it.
public enum Evidence {
  /// Bytes of changes that are told, the latest.
  public static let byteCountMax = 1 << 18

  private struct Content: Equatable {
    var operation: Operation
    var stamp: Stamp
  }

  /// For each writer the least dot that begins an operation in both and has two contents, ascending. What else travels
  /// with a change does not count: a peer that packs it again may write that differently.
  ///
  /// - Complexity: O(operations of both)
  public static func equivocations(in theirs: [Change], against ours: [Change]) -> [Dot] {
    var contents: [Dot: Content] = [:]
    forEachOperation(of: ours) { contents[$0] = $1 }
    var found: [ReplicaID: Dot] = [:]
    forEachOperation(of: theirs) { dot, content in
      guard let mine = contents[dot], mine != content else { return }
      found[dot.replica] = min(found[dot.replica] ?? dot, dot)
    }
    return found.values.sorted()
  }

  /// A peer's changes, and which of ours they are compared with.
  package struct Comparison: Sendable {
    package let document: DocumentID
    let theirs: [Change]
    /// Our changes of these writers.
    package private(set) var writers: Set<ReplicaID> = []
    /// Those that follow what this covers, and so many bytes of them.
    package private(set) var version: VersionVector
    package static let byteCountMax = 4 * Evidence.byteCountMax

    /// - Parameter version: all that is merged here.
    init(of theirs: [Change], in document: DocumentID, at version: VersionVector) {
      self.document = document
      self.theirs = theirs
      self.version = version
      for change in theirs {
        writers.insert(change.replica)
        self.version[change.replica] = min(self.version[change.replica], change.firstCounter &- 1)
      }
    }
  }

  private static func forEachOperation(of changes: [Change], _ body: (Dot, Content) -> Void) {
    for change in changes {
      var counter = change.firstCounter
      for operation in change.operations {
        body(Dot(change.replica, counter), Content(operation: operation, stamp: change.stamp))
        counter &+= operation.counterCount
      }
    }
  }
}
