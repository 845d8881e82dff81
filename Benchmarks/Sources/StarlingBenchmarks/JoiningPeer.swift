import Measuring
import Foundation
import StarlingCore
import StarlingEngine
import StarlingZeroMQ

/// The other process of `Joiner`: it comes with nothing, and tells line by line how far it got.
///
/// ```
/// progress MILLISECONDS BYTES OF OPERATIONS KNOWN RESIDENT ALLOCATED
///                                        since it began; of the state, with each part of it; of operations; of memory
/// joined MILLISECONDS PEAK               bytes that it ever held
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
      var told: (arriving: DocumentProgress.Arrival?, milliseconds: Int) = (nil, -1000)
      for await progress in await engine.progressNotices(of: documentID) {
        let milliseconds = Int((ContinuousClock.now - begin) / .milliseconds(1))
        let hasJoined = progress.isCaughtUp && progress.operationCount > 0
        // Each part of the state, and of the changes behind it what comes in a while.
        if hasJoined || progress.arriving != told.arriving || milliseconds - told.milliseconds >= 50 {
          told = (progress.arriving, milliseconds)
          tell(
            "progress \(milliseconds) \(progress.arriving?.byteCount ?? 0) \(progress.arriving?.wholeByteCount ?? 0) "
              + "\(progress.operationCount) \(progress.knownOperationCount) \(Memory.resident) \(Memory.allocated)")
        }
        if hasJoined {
          tell("joined \(milliseconds) \(Memory.residentPeak(of: getpid()))")
          break
        }
      }
      // Whoever started it may be gone without a word.
      while getppid() == parent {
        try await Task.sleep(for: .milliseconds(100))
        let isEnd = document.read { $0.contains(endKey, in: .root) }
        if isEnd, let (digest, _) = document.digestWithVersion() { tell("end \(digest)") }
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
