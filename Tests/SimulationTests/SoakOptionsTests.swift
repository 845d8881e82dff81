import Testing

import StarlingSoak

@Suite struct `The command line of soak` {
  @Test(arguments: [["--help"], ["-h"], ["--seed", "7", "--help"]]) func `prints help and runs nothing`(
    arguments: [String]
  ) throws {
    #expect(try SoakCommand(arguments) == .help)
    for option in [
      "--seed", "--schedules", "--minutes", "--jobs", "--first", "--trace", "--failures", "--planted", "--hour",
    ] {
      #expect(SoakCommand.helpText.contains(option))
    }
  }

  @Test func `names one seed, or many`() throws {
    var options = SoakOptions()
    #expect(try SoakCommand([]) == .run(options))
    options.firstSeed = 42
    options.scheduleCount = 1
    #expect(try SoakCommand(["--seed", "42", "--schedules", "1"]) == .run(options))
    options.minutes = 0.5
    options.jobCount = 2
    options.endsAtFirst = true
    options.printsTrace = true
    options.failures = "out"
    let all = ["--schedules", "1", "--minutes", "0.5", "--jobs", "2", "--first", "--trace", "--failures", "out"]
    // The later value of an option counts.
    #expect(try SoakCommand(["--seed", "1"] + all + ["--seed", "42"]) == .run(options))
  }

  @Test(arguments: [
    (["--seed", "x"], "--seed needs a whole number from 0 on, not 'x'."),
    (["--seed", "-1"], "--seed needs a whole number from 0 on, not '-1'."),
    (["--seed", "--schedules", "5"], "--seed needs a whole number from 0 on."),
    (["--schedules", "0"], "--schedules needs a whole number from 1 on, not '0'."),
    (["--schedules"], "--schedules needs a whole number from 1 on."),
    (["--minutes", "nan"], "--minutes needs a number greater than 0, not 'nan'."),
    (["--jobs", "1.5"], "--jobs needs a whole number from 1 on, not '1.5'."),
    (["--failures", ""], "--failures needs a folder, not ''."),
    (["--schedule", "5"], "There is no option '--schedule'."),
    (["5"], "There is no option '5'."),
    (["--planted", "hidesGaps", "--first"], "--planted takes one fault, and nothing else."),
  ]) func `is refused with what is wrong in it`(arguments: [String], words: String) {
    let error = #expect(throws: SoakUsageError.self) { try SoakCommand(arguments) }
    #expect(error?.description == words)
  }

  @Test func `tells what a simulated hour costs`() throws {
    #expect(try SoakCommand(["--hour"]) == .hour)
    #expect(try SoakCommand(["--minutes", "1", "--hour"]) == .hour, "whatever a script says before it")
  }

  @Test func `lists what can be planted, or plants one`() throws {
    #expect(try SoakCommand(["--planted"]) == .listFaults)
    #expect(try SoakCommand(["--planted", "hidesGaps"]) == .planted("hidesGaps"))
  }
}
