import StarlingTestSupport
import StarlingZeroMQ
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct `A liveness lock` {
  private func signs(_ scratch: String) throws -> (mine: LifeSignFiles, theirs: LifeSignFiles) {
    let directory = try IPCDirectory(group: "g", parent: scratch)
    return (LifeSignFiles(directory), LifeSignFiles(directory))
  }

  @Test func `stands while its process runs, and proves its end`() async throws {
    try await withScratchDirectory { scratch in
      let (mine, theirs) = try signs(scratch)
      #expect(mine.show("one"))
      #expect(theirs.isStanding("one") && theirs.ended().isEmpty)
      mine.leave("one")
      #expect(!theirs.isStanding("one"))
      #expect(theirs.ended() == ["one"])
      theirs.clear("one")
      #expect(theirs.ended().isEmpty && names(in: "\(scratch)/g").isEmpty)
    }
  }

  @Test func `ends with its owner's word, also while another thread begins a program`() async throws {
    try await withScratchDirectory { scratch in
      let (mine, theirs) = try signs(scratch)
      #expect(mine.show("one"))
      let copies = CopiedDescriptors(ofFileAt: "\(scratch)/g/one.life")
      #expect(copies.count > 0)
      mine.leave("one")
      #expect(!theirs.isStanding("one"))
      withExtendedLifetime(copies) {}
    }
  }

  @Test func `proves nothing once it was withdrawn, however its process ends`() async throws {
    try await withScratchDirectory { scratch in
      let (mine, theirs) = try signs(scratch)
      #expect(mine.show("one"))
      // As a crash of the machine may leave it: the name is back.
      #expect(link("\(scratch)/g/one.life", "\(scratch)/g/two.life") == 0)
      #expect(mine.withdraw("one"))
      #expect(!theirs.isStanding("one") && !theirs.isStanding("two"))
      #expect(theirs.ended().isEmpty && names(in: "\(scratch)/g").isEmpty)
    }
  }

  @Test func `is none where the file is something else`() async throws {
    try await withScratchDirectory { scratch in
      let (mine, theirs) = try signs(scratch)
      close(creat("\(scratch)/g/empty.life", 0o600))
      #expect(symlink("/etc/hostname", "\(scratch)/g/link.life") == 0)
      #expect(theirs.ended().isEmpty && !theirs.isStanding("link") && !theirs.isStanding("never"))
      #expect(!mine.show("link"))
    }
  }

  @Test func `ends with a process that is killed`() async throws {
    try await withScratchDirectory { scratch in
      let (mine, theirs) = try signs(scratch)
      #expect(mine.show("one"))
      mine.leave("one")
      // Another process takes the lock, as the one that put the sign up would hold it.
      let arguments = ["flock", "--no-fork", "\(scratch)/g/one.life", "sleep", "600"]
      var pointers = arguments.map { strdup($0) } + [nil]
      defer { for pointer in pointers { free(pointer) } }
      var process = pid_t()
      try #require(posix_spawnp(&process, "flock", nil, nil, &pointers, environ) == 0)
      while !theirs.isStanding("one") { sched_yield() }
      #expect(theirs.ended().isEmpty)
      kill(process, SIGKILL)
      var status: Int32 = 0
      waitpid(process, &status, 0)
      #expect(theirs.ended() == ["one"])
    }
  }
}
