import Foundation
import StarlingGuard

/// Replicas that nobody closed and nobody holds any more: they are closed in the background.
enum UnclosedReplicas {
  /// By the directories that they still hold.
  private static let closing = Guarded<[String: Task<Void, Never>]>([:])

  /// Begins to close one. Any thread; returns at once.
  ///
  /// - Parameter path: its directory; nil for one in memory.
  static func close(in path: String?, _ body: @escaping @Sendable () async -> Void) {
    guard let path = path.map(name) else {
      Task.detached { await body() }
      return
    }
    // The task's end waits for this lock: it cannot come before its beginning is noted.
    closing.withLock { closing in
      closing[path] = Task.detached {
        await body()
        let done = Self.closing.withLock { $0.removeValue(forKey: path) }
        withExtendedLifetime(done) {}
      }
    }
  }

  /// Returns once the directory is free of those.
  static func waitUntilClosed(_ path: String) async {
    await closing.withLock { $0[name(path)] }?.value
  }

  private static func name(_ path: String) -> String { URL(filePath: path).standardizedFileURL.path }
}
