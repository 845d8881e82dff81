import CAllocator
import Foundation

/// How much memory this process holds.
enum Memory {
  /// Bytes of physical memory; 0 where the system does not tell.
  static var resident: Int {
    resident(of: getpid())
  }

  /// The same of another process of this user.
  static func resident(of process: pid_t) -> Int {
    guard let pages = try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8).split(separator: " ")
    else {
      return 0
    }
    return (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  /// The most that another process of this user has held; 0 where the system does not tell.
  static func residentPeak(of process: pid_t) -> Int {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
      let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { return 0 }
    return kilobytes << 10
  }

  /// Bytes that are allocated and not freed, as the allocator counts them.
  static var allocated: Int { allocated_byte_count() }
}
