import Foundation
import StarlingCore
import StarlingEngine
import StarlingZeroMQ

/// The other process of `Joiner`: it comes with nothing, and tells line by line how far it got.
///
/// ```
/// progress BYTES OF OPERATIONS KNOWN     of the state, and of operations; ten times a second
/// joined MILLISECONDS                    since it began
/// end DIGEST                             what it holds after the last write
/// ```
enum JoiningPeer {
  static let flag = "--joining-peer"
  static let endKey: Key = "end"
  static let documentID = DocumentID("joiner")!

  static func run(_ arguments: ArraySlice<String>) async {
    guard let endpoint = arguments.first else { exit(64) }
    let parent = getppid()
    do {
      var configuration = EngineConfiguration()
      configuration.history = .stateOnly(byteCountMin: 8 << 20)
      let begin = ContinuousClock.now
      let engine = ReplicaEngine(link: ZeroMQLink(), log: MemoryLog(), configuration: configuration)
      try await engine.start()
      try await engine.connect(to: endpoint)
      let document = try await engine.open(documentID)
      var hasJoined = false
      // Whoever started it may be gone without a word.
      while getppid() == parent {
        try await Task.sleep(for: .milliseconds(100))
        guard let progress = await engine.progress(of: documentID) else { continue }
        if !hasJoined {
          let arriving = progress.arriving
          tell(
            "progress \(arriving?.byteCount ?? 0) \(arriving?.wholeByteCount ?? 0) \(progress.operationCount) "
              + "\(progress.knownOperationCount)")
        }
        if !hasJoined, progress.isCaughtUp, progress.operationCount > 0 {
          hasJoined = true
          tell("joined \(Int((ContinuousClock.now - begin) / .milliseconds(1)))")
        }
        let end = document.read { $0.visible(endKey, in: .root) }
        if case .value = end, let (digest, _) = document.digestWithVersion() { tell("end \(digest)") }
      }
      exit(1)
    } catch {
      Report.say("\(error)")
      exit(1)
    }
  }

  private static func tell(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
