import Foundation
import Testing

extension Rule {
  /// What a program may write and nobody does anything about is said on one page, by its name.
  static let withoutEffectIsListed = Rule("the page of SwiftUI programs lists what is accepted without effect") {
    house in
    let page = "Documentation/SwiftUI.md"
    let text = (house.files[page] ?? nil) ?? ""
    let list = text.components(separatedBy: "## What is accepted without effect").last ?? ""
    let listed = Set(list.matches(of: /`(\w+)`[,.]/).map { String($0.1) })
    var accepted: [String: String] = [:]
    for (path, text) in house.files where path.hasPrefix("Sources/StarlingView/") {
      for match in (text ?? "").matches(of: /(?:accepted|WithoutEffect\.report)\("(\w+)"\)/) {
        accepted[String(match.1)] = path
      }
    }
    let missing = accepted.filter { !listed.contains($0.key) }.sorted { $0.key < $1.key }.map {
      Finding(path: $0.value, line: 1, what: "\($0.key) is accepted, and \(page) does not say so", remedy: "List it")
    }
    let gone = listed.filter { accepted[$0] == nil }.sorted().map {
      Finding(path: page, line: 1, what: "\($0) is listed, and nothing accepts it", remedy: "Take it off the list")
    }
    return missing + gone
  }
}

@Suite struct `The rule of what has no effect` {
  private func findings(_ list: String) -> [String] {
    let house = House([
      "Documentation/SwiftUI.md": "# Page\n\n`Other`,\n\n## What is accepted without effect\n\n\(list)\n",
      "Sources/StarlingView/A.swift": "func blur() -> some View { accepted(\"blur\") }; WithoutEffect.report(\"mask\")",
    ])
    return Rule.withoutEffectIsListed.check(house).map(\.what)
  }

  @Test func `accepts a list that is whole`() {
    #expect(findings("`blur`, `mask`.") == [])
  }

  @Test func `refuses one that lacks a name or has one too many`() {
    #expect(findings("`blur`.") == ["mask is accepted, and Documentation/SwiftUI.md does not say so"])
    #expect(findings("`blur`, `mask`, `zoom`.") == ["zoom is listed, and nothing accepts it"])
  }
}
