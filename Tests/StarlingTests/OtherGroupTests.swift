import Foundation
import Logging
import Starling
import Testing

@Suite struct `A directory that was written under another group's name` {
  @Test func `says that it holds that one, and nothing of this`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "other-\(UInt64.random(in: 0 ... .max))")
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.path(percentEncoded: false)
    let lines = LoggedLines()
    func open(_ group: String) async throws -> Replica {
      var options = Replica.Options()
      options.joinsThisMachine = false
      options.logger = Logger(label: "test") { _ in lines }
      return try await Replica.open(group, in: path, options: options)
    }
    let library = try await open("library")
    try library.model(Book.self, named: "front-desk", isolation: nil).title = "Dune"
    try await library.close()
    #expect(!lines.all.contains { $0.contains("holds") })
    let other = try await open("libary")
    #expect(lines.all.contains { $0.contains("holds 'library' and no 'libary', which begins empty") }, "\(lines.all)")
    try await other.close()
  }
}
