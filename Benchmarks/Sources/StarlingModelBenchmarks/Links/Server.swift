import Foundation
import Measuring

/// Another system's server, run for one route in a folder of its own.
///
/// A shell watches over it: when that shell's standard input ends, by `end` or because this process is gone in whatever
/// way, it kills the server and removes the folder.
struct Server {
  /// Where it may put its files; without a closing slash.
  let folder: String
  private let name: String
  private let shell: Child

  private static let watch = """
    trap '' INT TERM HUP
    folder=$1
    shift
    "$@" >"$folder/log" 2>&1 &
    server=$!
    read -r _
    kill -9 $server
    rm -r "$folder"
    """

  /// - Parameter arguments: what the program is given, told the folder.
  init(_ name: String, _ arguments: (_ folder: String) throws -> [String]) throws {
    guard let path = Self.path(of: name) else { throw LinkFailure("There is no \(name).") }
    self.name = name
    folder = FileManager.default.temporaryDirectory.appending(path: "starling-\(name)-\(UUID().uuidString.prefix(8))")
      .path(percentEncoded: false)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    shell = try Child("/bin/sh", ["-c", Self.watch, "sh", folder, path] + arguments(folder))
  }

  /// Calls `connect` until it does not throw.
  ///
  /// - Throws: what it last threw, after five seconds.
  func whenReady<Connection>(_ connect: () throws -> Connection) throws -> Connection {
    for _ in 0..<250 {
      if let connection = try? connect() { return connection }
      usleep(20_000)
    }
    do {
      return try connect()
    } catch {
      let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
      end()
      throw LinkFailure("\(name) did not start: \(error) \(log.suffix(500))")
    }
  }

  func end() {
    shell.end()
  }

  /// Nil where it is not installed. Debian keeps servers where not every PATH looks.
  static func path(of name: String) -> String? {
    let path = ProcessInfo.processInfo.environment["PATH", default: "/usr/bin"] + ":/usr/sbin"
    return path.split(separator: ":").map { (folder: Substring) in "\(folder)/\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// One that nobody listens at: a socket of libzmq's had it a moment ago.
  static func freePort() throws -> Int {
    let socket = try RawSocket(publishingBy: Route(.libzmq, over: .tcp))
    defer { socket.close() }
    guard let port = socket.address.split(separator: ":").last.flatMap({ Int($0) }) else {
      throw LinkFailure("'\(socket.address)' has no port.")
    }
    return port
  }
}
