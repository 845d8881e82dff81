import StarlingCore
import StarlingSession
import StarlingWire

// Tombstones that one side has collected and that changes of the other stand on (Protocol/conversation.md, "Paths of
// tombstones").
extension ReplicaEngine {
  /// Stores tombstones that changes of the peer stand on.
  func adopt(_ paths: [Change], from peer: PeerHandle, expecting expected: Version, into hosted: HostedDocument) {
    publishOutbox(of: hosted)
    do {
      guard try hosted.handle.adopt(removedPaths: paths, expecting: expected) > 0 else { return }
      counters.pathsAdopted += 1
      // No record holds them: what stands on them goes to the log behind a state that does.
      pipeline.mergedState(in: hosted.id)
    } catch {
      counters.malformed += 1
      refuse(
        peer,
        Message.Refusal(code: .malformed, explanation: "The tombstones of '\(hosted.id)': \(error)"))
    }
  }

  /// The tombstones that the asker named. False where they cannot be sent.
  func sendPaths(of hosted: HostedDocument, answering want: Message.Want, to peer: PeerHandle) -> Bool {
    guard !want.lacking.isEmpty else { return true }
    let paths = hosted.handle.removedPaths(
      to: want.lacking, isUpToDate: hosted.handle.version.covers(want.version))
    let batch = Batch.encode(paths)
    let message = Message.Changes(document: want.document, request: want.request, batch: batch)
    return send(.paths(message), of: batch.count, to: peer, hosted.id)
  }
}
