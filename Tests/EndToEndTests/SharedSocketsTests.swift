import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite(.timeLimit(.minutes(10))) struct `Sockets that a Unix group shares` {
  @Test(
    .enabled(
      if: OtherUser.isThere,
      "needs to act as other users: root, setpriv(1), a Unix group 'users', and programs that all may read")
  )
  func `lead the programs of several users to the daemon of another, and nobody else's`() async throws {
    let scratch = try Scratch()
    let (data, sockets) = (scratch.path + "/data", scratch.path + "/sockets")
    let keeper = OtherUser(number: 65_001, isInGroup: true)
    for path in [scratch.path, data, sockets] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      #expect(chmod(path, 0o755) == 0 && chown(path, keeper.number, OtherUser.group ?? 0) == 0)
    }
    let shared = ["--sockets", sockets, "--socket-group", OtherUser.groupName]
    let writer = OtherUser(number: 65_002, isInGroup: true)
    let early = try await writer.run("starling", ["status", "test"] + shared)
    #expect(early.status == 1 && early.errors.contains("start that first"), "\(early.errors)")
    let daemon = try keeper.begin("starlingd", ["--group", "test", "--directory", data] + shared)
    defer { daemon.process.terminate() }

    while try await writer.run("starling", ["status", "test"] + shared).status != 0 {}
    let patience = ["--timeout", "60"]
    let write = try await writer.run("starling", ["set", "test", "title", "\"Dune\""] + shared + patience)
    #expect(write.status == 0, "\(write.errors)")
    let reader = OtherUser(number: 65_003, isInGroup: true)
    let read = try await reader.run("starling", ["get", "test", "title"] + shared + patience)
    #expect(read.output == "\"Dune\"\n", "\(read.errors)")

    let stranger = OtherUser(number: 65_004, isInGroup: false)
    let claimed = try await stranger.run("starling", ["get", "test", "title"] + shared)
    #expect(claimed.status == 1 && claimed.errors.contains("not in the Unix group"), "\(claimed.errors)")
    let unshared = try await stranger.run("starling", ["get", "test", "title", "--sockets", sockets])
    #expect(unshared.status == 1 && unshared.output == "", "\(unshared.errors)")

    daemon.process.terminate()
    let ending = await daemon.outcome()
    #expect(ending.status == 0, "\(ending.errors)")
  }
}

/// Another user of this machine, in whose place root can run a program.
private struct OtherUser {
  static let groupName = "users"
  static var group: gid_t? { getgrnam(groupName).map { $0.pointee.gr_gid } }

  let number: uid_t
  let isInGroup: Bool

  static var isThere: Bool {
    guard geteuid() == 0, group != nil, let check = try? OtherUser(number: 65_001, isInGroup: true).command("starling")
    else { return false }
    let process = Process()
    process.executableURL = check.program
    process.arguments = check.arguments + ["--version"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  private func command(_ name: String) throws -> (program: URL, arguments: [String]) {
    let groups = isInGroup ? "--groups=\(Self.group ?? 0)" : "--clear-groups"
    return (
      URL(fileURLWithPath: "/usr/bin/setpriv"),
      ["--reuid=\(number)", "--regid=\(number)", groups, try Programs.url(name).path]
    )
  }

  func begin(_ name: String, _ arguments: [String]) throws -> Running {
    let command = try command(name)
    return try Running(at: command.program, command.arguments + arguments, environment: ["HOME": "/tmp"])
  }

  func run(_ name: String, _ arguments: [String]) async throws -> Programs.Outcome {
    await (try begin(name, arguments)).outcome()
  }
}
