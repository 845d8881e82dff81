import Foundation
import StarlingView
import Testing

/// Asks for its own publisher as it goes.
private final class LastWords: ObservableObject {
  deinit { objectWillChange.send() }
}

private final class Plain: ObservableObject {}

@Suite struct `The table of publishers` {
  @Test func `releases what is the user's with its lock open`() async throws {
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      // Objects whose publishers alone hold an object of the user's, for as long as the table keeps them.
      for _ in 0..<2_000 {
        let object = Plain()
        let words = LastWords()
        object.objectWillChange.sink { withExtendedLifetime(words) {} }.keep()
      }
      isDone.signal()
    }
    let ended = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: isDone.wait(timeout: .now() + 100)) }
    }
    #expect(ended == .success)
  }
}

extension AnyCancellable {
  /// Leaves the subscription to its publisher.
  fileprivate func keep() { _ = Unmanaged.passRetained(self) }
}

@Suite struct `A store in a file` {
  @Test func `that could not be written is written once it can, also for an equal value`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "store-\(UInt64.random(in: 0 ... .max))")
    defer { try? FileManager.default.removeItem(at: folder) }
    // A file where the folder should be.
    try Data().write(to: folder)
    let file = folder.appending(path: "storage.json")
    let store = FileStore(file)
    store.setText("14", for: "size")
    #expect(store.text(for: "size") == "14")
    try FileManager.default.removeItem(at: folder)
    store.setText("14", for: "size")
    #expect(FileStore(file).text(for: "size") == "14")
  }
}
