import Foundation
import StarlingSimulator
import Synchronization

/// One schedule after another, until the time is over.
struct Soak {
  private let first: UInt64
  private let countMax: UInt64
  private let minutes: Double
  private let failures: String
  private var count: UInt64 = 0
  private var doings: [String: Int] = [:]
  private var simulated = Duration.zero
  private var violated: [UInt64] = []

  /// Findings that are made as short as they get; the others are told in one line.
  private static let shrunkCountMax = 3

  init(_ arguments: ArraySlice<String>) {
    func value(_ flag: String) -> String? {
      arguments.firstIndex(of: flag).flatMap { arguments.indices.contains($0 + 1) ? arguments[$0 + 1] : nil }
    }
    first = value("--seed").flatMap { UInt64($0) } ?? 1
    countMax = value("--schedules").flatMap { UInt64($0) } ?? .max
    minutes = value("--minutes").flatMap { Double($0) } ?? (countMax == .max ? 1 : .infinity)
    failures = value("--failures") ?? ".build/failures"
  }

  /// - Returns: Whether nothing was violated.
  mutating func run() -> Bool {
    // What ends the process tells under which seed.
    for sign in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV] {
      signal(sign) { sign in
        Soak.tell(seed: Soak.running.load(ordering: .relaxed))
        signal(sign, SIG_DFL)
        raise(sign)
      }
    }
    let began = Date()
    var told = began
    while count < countMax, Date().timeIntervalSince(began) < 60 * minutes {
      let seed = first &+ count
      Soak.running.store(seed, ordering: .relaxed)
      let simulation = Schedule(seed: seed).run()
      count += 1
      simulated += simulation.now
      for (name, number) in simulation.doings { doings[name, default: 0] += number }
      if let finding = simulation.finding { tell(finding) }
      if Date().timeIntervalSince(told) >= 60 {
        told = Date()
        tellCounts(since: began)
      }
    }
    tellCounts(since: began)
    return violated.isEmpty
  }

  private mutating func tell(_ finding: Finding) {
    violated.append(finding.schedule.seed)
    guard violated.count <= Self.shrunkCountMax else {
      return print("seed \(finding.schedule.seed), \(finding.schedule.theme): \(finding.violation)")
    }
    let shrunk = finding.shrunk()
    print(shrunk)
    do {
      try FileManager.default.createDirectory(atPath: failures, withIntermediateDirectories: true)
      let path = "\(failures)/\(shrunk.fileName)"
      try shrunk.source.write(toFile: path, atomically: true, encoding: .utf8)
      print("A test that repeats it: \(path). Again: soak --schedules 1 --seed \(finding.schedule.seed)\n")
    } catch {
      print("The test that repeats it cannot be written: \(error)\n\(shrunk.source)")
    }
    fflush(nil)
  }

  private func tellCounts(since began: Date) {
    let minutes = Date().timeIntervalSince(began) / 60
    let hours = Double(simulated.components.seconds) / 3600
    func line(_ names: [String]) -> String {
      names.map { "\($0) \(doings[$0, default: 0])" }.joined(separator: ", ")
    }
    let faults = Set(Action.faultNames)
    print(
      """
      \(String(format: "%.1f", minutes)) min: \(count) schedules (\(Int(Double(count) / minutes)) a minute, seeds \
      \(first)...\(first &+ count &- 1)), \(String(format: "%.1f", hours)) simulated hours
        done: \(line(doings.keys.filter { !faults.contains($0) }.sorted()))
        faults: \(line(Action.faultNames))
        violations: \(violated.count)\(violated.isEmpty ? "" : " (seeds \(violated.prefix(20)))")
      """)
    fflush(nil)
  }

  /// The seed of the schedule that runs.
  private static let running = Atomic<UInt64>(0)

  /// Called where the process ends: nothing may be allocated.
  private static func tell(seed: UInt64) {
    var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
    withUnsafeMutableBytes(of: &digits) { buffer in
      var (rest, place) = (seed, buffer.count - 1)
      buffer[place] = 0x0A
      repeat {
        place -= 1
        buffer[place] = UInt8(0x30 + rest % 10)
        rest /= 10
      } while rest > 0
      _ = write(2, "the process ended under seed ", 29)
      _ = write(2, buffer.baseAddress! + place, buffer.count - place)
    }
  }
}
