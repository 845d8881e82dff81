import Foundation

/// A folder of this process alone, for sockets and stores; gone when the process ends in order.
package enum Scratch {
  /// Without a closing slash. Nobody else may write into it: sockets are not put where others could replace them.
  package static let folder: String = {
    let path = FileManager.default.temporaryDirectory.appending(path: "starling-bench-\(getpid())")
      .path(percentEncoded: false)
    do {
      try? FileManager.default.removeItem(atPath: path)
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      Report.say("\(path) cannot be made: \(error)")
    }
    atexit { try? FileManager.default.removeItem(atPath: Scratch.folder) }
    return path
  }()

  /// A path in it that nothing has yet.
  package static func path(_ name: String) -> String { "\(folder)/\(name)-\(UUID().uuidString.prefix(8))" }
}
