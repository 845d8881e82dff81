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

  /// Bytes that are allocated and not freed, as the allocator counts them.
  static var allocated: Int { allocated_byte_count() }
}
