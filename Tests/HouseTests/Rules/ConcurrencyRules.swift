import Testing

extension Rule {
  static let oneKindOfLock = Rule("there is one kind of lock") { house in
    house.swiftFiles.flatMap { file -> [Finding] in
      let moduleName = file.target?.name ?? ""
      guard moduleName != "StarlingGuard", moduleName != "StarlingGuardTests" else { return [] }
      return otherLocks.flatMap { phrase in
        file.lines(of: phrase).map { line in
          Finding(
            path: file.path, line: line, what: "`\(phrase.spelling)` is a lock of another kind",
            remedy: "Use Guard, which the thread sanitizer understands")
        }
      }
    }
  }

  private static let otherLocks: [Phrase] = [
    "Mutex", "NSLock", "NSRecursiveLock", "NSCondition", "OSAllocatedUnfairLock", "os_unfair_lock", ".sync {",
    ".sync(execute",
    "pthread_mutex_t", "pthread_mutex_lock", "pthread_rwlock_t", "pthread_cond_t",
  ]

  static let closuresAreGuardedInStructs = Rule("no closure is itself what a lock guards") { house in
    house.swiftFiles.flatMap { file in
      (["Guarded<@", "Guarded<(@", "Guarded<() ->", "Guarded<(() ->", "Guarded({"] as [Phrase]).flatMap { phrase in
        file.lines(of: phrase).map { line in
          Finding(
            path: file.path, line: line, what: "a closure that is guarded by itself grows with each look at it",
            remedy: "Keep it in a struct, and guard that")
        }
      }
    }
  }

  static let uncheckedIsProven = Rule("what the compiler cannot check is proven beside it") { house in
    house.swiftFiles.flatMap { file in
      ["@unchecked Sendable", "nonisolated(unsafe)"].flatMap { (phrase: Phrase) in
        file.lines(of: phrase).filter { !file.isProven(at: $0) }.map { line in
          Finding(
            path: file.path, line: line, what: "`\(phrase.spelling)` stands without its proof",
            remedy: "Say in a comment right above which lock, thread or order makes it safe, or do without")
        }
      }
    }
  }

  static let testsDoNotSleep = Rule("tests do not sleep") { house in
    house.swiftFiles.filter(\.isTest).flatMap { file in
      sleeps.flatMap { phrase in
        file.lines(of: phrase).map { line in
          Finding(
            path: file.path, line: line, what: "`\(phrase.spelling)` sleeps and hopes",
            remedy: "Advance a clock that the test holds, or wait for the event itself")
        }
      }
    }
  }

  /// A member of that name sleeps whatever has it: a task, a thread, any clock.
  private static let sleeps: [Phrase] = [
    ".sleep(", .call("sleep"), .call("usleep"), .call("nanosleep"), .call("poll"),
  ]

  static let waitsAreBounded = Rule("a test does not wait without a bound") { house in
    house.swiftFiles.filter(\.isTest).flatMap { file in
      file.lines(of: "{ await Task.yield() }").filter { file.isUnboundedLoop(at: $0) }.map { line in
        Finding(
          path: file.path, line: line, what: "The loop goes on for ever where the test should fail",
          remedy: "Expect `Turns.pass { ... }`, which gives up")
      }
    }
  }
}

extension SwiftFile {
  /// Whether the comment on the line, or the one right above the declaration or right below its brace, speaks of
  /// safety.
  fileprivate func isProven(at line: Int) -> Bool {
    var comment = (comments[line] ?? "") + (comments[line + 1] ?? "")
    var above = line - 1
    while let text = comments[above] ?? (isAttribute(above) ? "" : nil) {
      comment += text
      above -= 1
    }
    let words = comment.lowercased().split { !$0.isLetter }
    return words.contains { word in Self.proofs.contains { word.hasPrefix($0) } }
  }

  /// How words of a proof begin: a clock and a block are no locks.
  private static let proofs = [
    "sendable", "unchecked", "unsafe", "guard", "lock", "thread", "isolat", "executor", "immutable", "once", "actor",
  ]

  /// Whether the line is a `while` that looks at no time.
  fileprivate func isUnboundedLoop(at line: Int) -> Bool {
    let words = tokens.filter { $0.line == line }.map(\.text)
    return words.contains("while") && !words.contains("now")
  }

  private func isAttribute(_ line: Int) -> Bool {
    tokens.first { $0.line == line }?.text == "@"
  }
}

@Suite struct `The rules of concurrency` {
  private func house(_ path: String, _ code: String) -> House {
    House([
      "Package.swift": """
      let package = Package(targets: [
        .target(name: "StarlingGuard"), .target(name: "StarlingEngine"), .testTarget(name: "StarlingEngineTests"),
      ])
      """,
      path: code,
    ])
  }

  @Test(arguments: ["let lock = NSLock()", "let lock = Mutex(0)", "var lock = pthread_mutex_t()", "queue.sync { 1 }"])
  func `refuse a second kind of lock`(_ code: String) {
    #expect(Rule.oneKindOfLock.check(house("Sources/StarlingEngine/A.swift", code)).count == 1)
    #expect(Rule.oneKindOfLock.check(house("Sources/StarlingGuard/Guard.swift", code)).isEmpty)
  }

  @Test(arguments: [
    "let a = Guarded<@Sendable () -> Void>({})", "let a = Guarded<(@Sendable () -> Void)?>(nil)",
    "let a: Guarded<(() -> Void)?>", "let a = Guarded<() -> Void>(b)", "let a = Guarded({ 1 })",
  ])
  func `refuse a closure that is guarded by itself`(_ code: String) {
    #expect(!Rule.closuresAreGuardedInStructs.check(house("Sources/StarlingEngine/A.swift", code)).isEmpty)
    let inStruct = "let a = Guarded(Turn(body: { 1 })); let b = Guarded<[@Sendable () -> Void]>([])"
    #expect(Rule.closuresAreGuardedInStructs.check(house("Sources/StarlingEngine/A.swift", inStruct)).isEmpty)
  }

  @Test(arguments: [
    "final class A: @unchecked Sendable {}", "/// Holds values.\nfinal class A: @unchecked Sendable {}",
    "// The lock guards it.\n\nnonisolated(unsafe) var a = 0",
    "// A block of the clock.\nnonisolated(unsafe) var a = 0",
  ])
  func `refuse an unchecked promise without proof`(_ code: String) {
    #expect(Rule.uncheckedIsProven.check(house("Sources/StarlingEngine/A.swift", code)).count == 1)
  }

  @Test(arguments: [
    "// Sendable: `state` is touched only under the lock.\nfinal class A: @unchecked Sendable {}",
    "final class A: @unchecked Sendable {\n  // Sendable: one thread at a time has it.\n}",
    "/// Written once, before the thread starts.\n@usableFromInline\nnonisolated(unsafe) var a = 0",
    "nonisolated(unsafe) var a = 0  // guarded by `state`",
  ])
  func `accept a promise that is proven`(_ code: String) {
    #expect(Rule.uncheckedIsProven.check(house("Sources/StarlingEngine/A.swift", code)).isEmpty)
  }

  @Test(arguments: [
    "try await Task.sleep(for: .seconds(1))", "usleep(10)", "Thread.sleep(forTimeInterval: 1)",
    "try await ContinuousClock().sleep(for: .seconds(1))", "try await clock.sleep(until: then)",
  ])
  func `refuse a test that sleeps`(_ code: String) {
    #expect(Rule.testsDoNotSleep.check(house("Tests/StarlingEngineTests/A.swift", code)).count == 1)
    #expect(Rule.testsDoNotSleep.check(house("Sources/StarlingEngine/A.swift", code)).isEmpty)
  }

  @Test(arguments: ["while !isDone { await Task.yield() }", "while await a.count < 2 { await Task.yield() }"])
  func `refuse a test that waits for ever`(_ code: String) {
    #expect(Rule.waitsAreBounded.check(house("Tests/StarlingEngineTests/A.swift", code)).map(\.line) == [1])
    #expect(Rule.waitsAreBounded.check(house("Sources/StarlingEngine/A.swift", code)).isEmpty)
  }

  @Test(arguments: [
    "for _ in 0..<100 { await Task.yield() }", "while !isDone, .now < bound { await Task.yield() }",
    "#expect(await Turns.pass { isDone })",
  ])
  func `accept a test that gives up waiting`(_ code: String) {
    #expect(Rule.waitsAreBounded.check(house("Tests/StarlingEngineTests/A.swift", code)).isEmpty)
  }
}
