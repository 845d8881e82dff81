#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Copies of all descriptors that this process has of a file, as a program holds them that is being begun.
public final class CopiedDescriptors: Sendable {
  private let copies: [Int32]

  public init(ofFileAt path: String) {
    var file = stat()
    stat(path, &file)
    // Other tests of the process may have many open, and each new one takes the least number that is free. All are found
    // before the first is copied: a copy is one of the file too, and would be copied in turn until none is left.
    let held = (0..<min(getdtablesize(), 1 << 16)).filter { (descriptor: Int32) in
      var status = stat()
      return fstat(descriptor, &status) == 0 && status.st_dev == file.st_dev && status.st_ino == file.st_ino
    }
    copies = held.map { dup($0) }
  }

  deinit {
    for copy in copies { close(copy) }
  }

  public var count: Int { copies.count }
}
