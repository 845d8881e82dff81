import Foundation
import ServiceLifecycle
import StarlingReplica

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The socket on which systemd hears how the daemon stands (sd_notify(3)), where systemd started it.
struct ServiceManager: Sendable {
  private let path: String
  /// How often it wants to hear that the daemon works; nil for never.
  let watchdog: Duration?

  /// - Returns: nil where nobody listens.
  init?(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
    guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else { return nil }
    self.path = path
    let isOurs = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
    watchdog =
      environment["WATCHDOG_USEC"].flatMap(Int64.init).flatMap { isOurs && $0 > 0 ? .microseconds($0) : nil }
  }

  /// Lost where it cannot be said: systemd then acts as on silence.
  func tell(_ state: String) {
    #if os(Linux)
      #if canImport(Glibc)
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
      #else
        let kind = SOCK_DGRAM | SOCK_CLOEXEC
      #endif
      let descriptor = socket(AF_UNIX, kind, 0)
      guard descriptor >= 0 else { return }
      defer { close(descriptor) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      var name = Array(path.utf8)
      // A name that begins with @ is no file; the system knows it by a zero in that place.
      if name[0] == UInt8(ascii: "@") { name[0] = 0 }
      guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
      let byteCount = MemoryLayout.offset(of: \sockaddr_un.sun_path)! + name.count
      _ = withUnsafeBytes(of: &address) {
        sendto(
          descriptor, state, state.utf8.count, Int32(MSG_NOSIGNAL),
          $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(byteCount))
      }
    #endif
  }
}

/// Says that the daemon serves, that it works, and that it ends. It runs as the last service: the group takes the signals
/// before it runs its services.
struct Announcement: Service {
  let line: String
  let manager: ServiceManager?
  let replica: BareReplica

  func run() async throws {
    Output.write(line)
    manager?.tell("READY=1\nSTATUS=\(line)")
    await withGracefulShutdownHandler {
      guard let manager, let watchdog = manager.watchdog else {
        try? await gracefulShutdown()
        return
      }
      await cancelWhenGracefulShutdown {
        // Three times within what systemd waits: one that is late ends nothing.
        while (try? await Task.sleep(for: watchdog / 3)) != nil {
          // Answered on the engine's thread. One that hangs is not answered, and systemd hears nothing.
          _ = await replica.engine.storedDocuments
          manager.tell("WATCHDOG=1")
        }
      }
    } onGracefulShutdown: {
      manager?.tell("STOPPING=1")
    }
  }
}
