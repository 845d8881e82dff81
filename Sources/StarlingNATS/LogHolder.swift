#if NATS
  import CNATS

  /// What this process calls itself to the one that it displaces: "pid 4711, starlingd, on berlin-1".
  enum LogHolder {
    static var ownName: String {
      let program = CommandLine.arguments.first?.split(separator: "/").last ?? "unknown program"
      return "pid \(starling_process_id()), \(program), on \(hostName)"
    }

    private static var hostName: String {
      // POSIX: HOST_NAME_MAX is 255 at most.
      var name = [CChar](repeating: 0, count: 257)
      guard starling_host_name(&name, name.count) == 0 else { return "an unknown machine" }
      return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }
#endif
