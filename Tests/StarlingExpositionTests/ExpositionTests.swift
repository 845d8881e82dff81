import Testing

@testable import StarlingExposition

@Suite struct `An exposition` {
  @Test func `says of each metric what it means, its kind and what was read of it`() {
    var commits = MetricFamily("starling_commits_total", .counter, "Groups that the log accepted.")
    commits.add(.number(4211))
    var peers = MetricFamily("starling_peers", .gauge, "Connections.")
    peers.add(.number(3), [MetricLabel("standing", "member")])
    peers.add(.number(0.5), [MetricLabel("standing", "relay"), MetricLabel("door", "open")])
    #expect(
      Exposition([commits, peers]).text == """
        # HELP starling_commits_total Groups that the log accepted.
        # TYPE starling_commits_total counter
        starling_commits_total 4211
        # HELP starling_peers Connections.
        # TYPE starling_peers gauge
        starling_peers{standing="member"} 3
        starling_peers{door="open",standing="relay"} 0.5

        """)
  }

  @Test func `counts in each bucket of a histogram all that is not above its bound`() {
    var family = MetricFamily("commit_seconds", .histogram, "How long.")
    family.add(
      .histogram(MetricHistogram(bounds: [0.001, 1], counts: [2, 0, 3], sum: 12.5)), [MetricLabel("log", "sqlite")])
    #expect(
      Exposition([family]).text == """
        # HELP commit_seconds How long.
        # TYPE commit_seconds histogram
        commit_seconds_bucket{log="sqlite",le="0.001"} 2
        commit_seconds_bucket{log="sqlite",le="1"} 2
        commit_seconds_bucket{log="sqlite",le="+Inf"} 5
        commit_seconds_sum{log="sqlite"} 12.5
        commit_seconds_count{log="sqlite"} 5

        """)
  }

  @Test(
    arguments: [
      (0, "0"), (-0.0, "0"), (-3, "-3"), (0.1, "0.1"), (9_007_199_254_740_991, "9007199254740991"), (1e20, "1e+20"),
      (-2.5e-9, "-2.5e-09"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"),
      (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
    ] as [(Double, String)])
  func `writes numbers as Go reads them`(value: Double, text: String) {
    #expect(Exposition.text(of: value) == text)
  }

  @Test func `lets no value of a label and no help end its line or its quotation`() {
    var family = MetricFamily("a", .gauge, "A \"word\",\na \\ and an end")
    family.add(.number(1), [MetricLabel("b", "x\"} 7\n# TYPE a counter\\\r\u{0}é")])
    #expect(
      Exposition([family]).text
        == "# HELP a A \"word\",\\na \\\\ and an end\n# TYPE a gauge\n"
        + "a{b=\"x\\\"} 7\\n# TYPE a counter\\\\\r\u{0}é\"} 1\n")
  }

  @Test func `of nothing is empty`() {
    #expect(Exposition().text == "")
    #expect(
      Exposition([MetricFamily("a", .gauge, "Nothing.")]).text == "# HELP a Nothing.\n# TYPE a gauge\n")
  }

  @Test(arguments: [
    ("a", true), ("_", true), (":a:b", true), ("A9_", true), ("", false), ("9a", false), ("a-b", false), ("a b", false),
    ("ä", false), ("a\n", false), ("a{", false),
  ])
  func `knows a name when it sees one`(text: String, isName: Bool) {
    #expect((MetricName(text) != nil) == isName)
    #expect((MetricLabelName(text) != nil) == (isName && !text.contains(":")))
  }

  @Test(arguments: [("__name__", false), ("_name", true)])
  func `leaves labels alone that are the collector's own`(text: String, isOurs: Bool) {
    #expect((MetricLabelName(text) != nil) == isOurs)
  }
}

@Suite struct `A family of metrics` {
  @Test func `takes so many series and counts the others`() {
    var family = MetricFamily("starling_strangers", .gauge, "Addresses.")
    for number in 0..<1000 { family.add(.number(1), [MetricLabel("address", "10.0.0.\(number)")]) }
    #expect(family.series.count == MetricFamily.seriesCountMax)
    #expect(family.omittedCount == 1000 - MetricFamily.seriesCountMax)
  }

  @Test func `has one series for each set of labels, in whatever order they are named`() {
    var family = MetricFamily("a", .gauge, "A.")
    family.add(.number(1), [MetricLabel("b", "1"), MetricLabel("c", "2")])
    family.add(.number(2), [MetricLabel("c", "2"), MetricLabel("b", "1")])
    #expect(family.series.map(\.reading) == [.number(1)])
    #expect(family.omittedCount == 1)
  }

  @Test func `cuts a value of a label that is too long between two characters`() {
    let label = MetricLabel("a", "x" + String(repeating: "é", count: 1000))
    #expect(label.value.utf8.count == 255)
    #expect(label.value.hasSuffix("é"))
    #expect(MetricLabel("a", "e" + String(repeating: "\u{301}", count: 1000)).value.utf8.count == 255)
  }

  @Test func `counts what ends in _total, and nothing else`() async {
    await #expect(processExitsWith: .failure) { _ = MetricFamily("frames", .counter, "Frames.") }
    await #expect(processExitsWith: .failure) { _ = MetricFamily("frames_total", .gauge, "Frames.") }
    await #expect(processExitsWith: .failure) { _ = MetricFamily("frames_bucket", .gauge, "Frames.") }
  }

  @Test func `keeps bounds that ascend`() async {
    await #expect(processExitsWith: .failure) { _ = MetricHistogram(bounds: [1, 1], counts: [0, 0, 0], sum: 0) }
    await #expect(processExitsWith: .failure) { _ = MetricHistogram(bounds: [1], counts: [0], sum: 0) }
  }
}
