import Foundation
import Measuring

/// A route with its receivers listening.
final class OpenRoute {
  private let publisher: any Publisher
  private let receivers: [Child]
  private var round: Int64 = 0

  /// The result of one round of as many writes as can be.
  struct Rate {
    /// What each receiver heard, on average, in a second, until the last of them had heard the last.
    let writesPerSecond: Double
    /// What was written and not heard, of all receivers.
    let lostCount: Int
  }

  init(_ route: Route, receiverCount: Int, for purpose: Purpose) async throws {
    let publisher = try await route.medium.open(route, for: purpose)
    self.publisher = publisher
    receivers = try (0..<receiverCount).map { _ in
      try LinkPeer.startReceiver(of: route.medium, at: publisher.address, for: purpose)
    }
    var hello: Int64 = 0
    for receiver in receivers {
      // Again and again: who is about to listen does not hear what came just before.
      _ = try Self.answer(of: receiver) {
        hello += 1
        publisher.write(Message(.hello, hello))
      }
    }
  }

  /// Writes one message at a time with `pause` microseconds between them.
  ///
  /// - Returns: How many microseconds each was under way to each receiver.
  func latencies(of count: Int, pause: UInt32) throws -> [Double] {
    for _ in 0..<count {
      usleep(pause)
      publisher.write(Message(.write, Clock.now))
    }
    let latencies = try answers().flatMap { $0.split(separator: " ").compactMap { Double($0) } }
    guard latencies.count == count * receivers.count else {
      throw LinkFailure("Of \(count * receivers.count) messages \(latencies.count) arrived.")
    }
    return latencies
  }

  func rate(of count: Int) throws -> Rate {
    let begin = Clock.now
    for number in 1...count { publisher.write(Message(.write, Int64(number))) }
    let answers = try answers().map { $0.split(separator: " ").compactMap { Int64($0) } }
    guard let end = answers.compactMap(\.last).max(), answers.allSatisfy({ $0.count == 2 }) else {
      throw Child.Silence()
    }
    let seconds = Double(end - begin) / 1e9
    let heardCount = answers.reduce(0) { $0 + Int($1[0]) }
    return Rate(
      writesPerSecond: Double(heardCount) / Double(receivers.count) / seconds,
      lostCount: count * receivers.count - heardCount)
  }

  /// - Returns: nanoseconds that each receiver computed for a message, on average, and how often its observers ran for
  ///   one.
  func cost(of count: Int) throws -> (nanoseconds: Double, runsPerMessage: Double) {
    for number in 1...count { publisher.write(Message(.write, Int64(number))) }
    let answers = try answers().map { $0.split(separator: " ").compactMap { Double($0) } }
    guard answers.allSatisfy({ $0.count == 3 && $0[0] == Double(count) }) else { throw Child.Silence() }
    let all = Double(count * receivers.count)
    return (answers.reduce(0) { $0 + $1[1] } / all, answers.reduce(0) { $0 + $1[2] } / all)
  }

  func close() async throws {
    for receiver in receivers { receiver.end() }
    try await publisher.close()
  }

  /// Ends the round, and says so until every receiver has told what it heard: where messages are lost, that one may be.
  private func answers() throws -> [String] {
    round += 1
    var answers: [String] = []
    for receiver in receivers {
      answers.append(try Self.answer(of: receiver) { publisher.write(Message(.end, round)) })
    }
    return answers
  }

  /// - Throws: `Child.Silence` if it says nothing for a minute.
  private static func answer(of receiver: Child, _ ask: () -> Void) throws -> String {
    for _ in 0..<12_000 {
      ask()
      if let line = try receiver.line(within: .milliseconds(5)) { return line }
    }
    throw Child.Silence()
  }
}
