import Foundation

/// A process that this one started, and that is to end when its standard input does: by `end`, or because this process
/// is gone in whatever way. It speaks by lines.
///
/// Foundation's `Process` is not made for some seventy of them at once, each with two pipes.
package final class Child {
  package struct Silence: Error, CustomStringConvertible {
    package let description = "The benchmark's other process ended, or did not answer, before it had told everything."

    package init() {}
  }

  private let processID: pid_t
  private let input: CInt
  private let output: CInt
  private var unread: [UInt8] = []
  private var hasEnded = false

  package init(_ path: String, _ arguments: [String]) throws {
    let (childInput, input) = try Self.pipe()
    let (output, childOutput) = try Self.pipe()
    self.input = input
    self.output = output
    #if os(Linux)
      var actions = posix_spawn_file_actions_t()
    #else
      var actions: posix_spawn_file_actions_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, childInput, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, childOutput, STDOUT_FILENO)
    let environment = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    var settings = environment.map { strdup($0) } + [nil]
    var processID: pid_t = 0
    let status = posix_spawn(&processID, path, &actions, nil, &words, &settings)
    posix_spawn_file_actions_destroy(&actions)
    (words + settings).forEach { free($0) }
    close(childInput)
    close(childOutput)
    guard status == 0 else {
      close(input)
      close(output)
      throw LinkFailure("\(path): \(String(cString: strerror(status)))")
    }
    self.processID = processID
  }

  /// - Returns: The next line it writes; nil if none has come by then.
  /// - Throws: `Silence` once it has closed its output.
  package func line(within time: Duration) throws -> String? {
    let end = ContinuousClock.now + time
    while true {
      if let newline = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeFirst(newline + 1) }
        return String(decoding: unread[..<newline], as: UTF8.self)
      }
      let rest = (end - ContinuousClock.now) / .milliseconds(1)
      var wanted = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      guard poll(&wanted, 1, CInt(max(0, rest))) > 0 else { return nil }
      let capacity = 65536
      let count = unread.count
      unread.append(contentsOf: repeatElement(0, count: capacity))
      let readCount = unread.withUnsafeMutableBytes { read(output, $0.baseAddress! + count, capacity) }
      unread.removeLast(capacity - max(0, readCount))
      guard readCount > 0 else { throw Silence() }
    }
  }

  deinit { end() }

  /// Ends it, and returns when it has. A child that its owner releases has ended too.
  package func end() {
    guard !hasEnded else { return }
    hasEnded = true
    close(input)
    close(output)
    var status: CInt = 0
    waitpid(processID, &status, 0)
  }

  /// Neither end is handed to processes that are started later.
  private static func pipe() throws -> (reading: CInt, writing: CInt) {
    var ends: [CInt] = [0, 0]
    #if os(Linux)
      let status = Glibc.pipe(&ends)
    #else
      let status = Darwin.pipe(&ends)
    #endif
    guard status == 0 else { throw LinkFailure("pipe: \(String(cString: strerror(errno)))") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
