import Foundation
import Testing

@Suite(.serialized, .timeLimit(.minutes(10))) struct `The demonstration` {
  @Test(arguments: [["--peers", "3"], ["--peers", "2", "--with-daemon"]])
  func `ends with equal peers and nothing acknowledged lost`(arguments: [String]) async throws {
    let outcome = try await Programs.run("sync-demo", ["--edits", "300", "--json"] + arguments)
    let verdict = try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any],
      "It printed: \(outcome.output) \(outcome.errors)")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(verdict["converged"] as? Bool == true)
    #expect(verdict["acknowledgedLost"] as? Int == 0)
    #expect((verdict["acknowledgedEdits"] as? Int ?? 0) > 0)
    #expect(verdict["wakesSeen"] as? Int == verdict["wakesExpected"] as? Int)
    #expect((verdict["wakesSeen"] as? Int ?? 0) > 0)
    let digests = (verdict["peers"] as? [[String: Any]] ?? []).compactMap { $0["digest"] as? String }
    #expect(Set(digests).count == 1)
    #expect(digests.first?.isEmpty == false)
  }

  @Test func `tells its story in plain lines in a pipe`() async throws {
    let outcome = try await Programs.run("sync-demo", ["--edits", "30"])
    #expect(outcome.status == 0, "\(outcome.errors)")
    for line in ["Act 1.", "Act 2.", "Act 3.", "Act 4.", "All equal"] {
      #expect(outcome.output.contains(line), "No '\(line)' in: \(outcome.output)")
    }
    #expect(!outcome.output.contains("\u{1B}"), "There are colour codes in a pipe.")
  }

  @Test func `refuses a number of peers that makes no sense, in words`() async throws {
    let outcome = try await Programs.run("sync-demo", ["--peers", "1"])
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("--peers"))
  }
}
