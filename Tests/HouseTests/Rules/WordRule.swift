import Testing

extension Rule {
  /// Two words for one idea cost every reader a guess. Documentation/Glossary.md has the words that stay.
  static let wordsAreThoseOfTheGlossary = Rule("what people read says the glossary's words, and no older ones") {
    house in
    house.readTexts.flatMap { text in
      UnwantedWord.all.filter { $0.stands(in: text.words) && !$0.isExcused(in: text.path) }.map { word in
        Finding(
          path: text.path, line: text.line,
          what: "\"\(word.spelling.joined(separator: " "))\" is no word of the glossary",
          remedy: "Say \(word.term)")
      }
    }
  }
}

/// A word that the glossary replaces, with all its forms.
private struct UnwantedWord {
  /// The word, or the words that follow each other.
  let spelling: [String]
  /// Other forms of the first word.
  let forms: Set<Substring>
  /// What to say.
  let term: String
  /// Beginnings of the paths where the word stands for something else, each with why.
  let excuses: [String]

  init(_ spelling: String, _ forms: String = "", say term: String, except excuses: [String: String] = [:]) {
    self.spelling = spelling.split(separator: " ").map(String.init)
    self.forms = Set(forms.split(separator: " ")).union([Substring(self.spelling[0])])
    self.term = term
    self.excuses = excuses.keys.sorted()
  }

  func stands(in words: [Substring]) -> Bool {
    words.indices.contains { place in
      forms.contains(words[place])
        && words[(place + 1)...].prefix(spelling.count - 1).elementsEqual(spelling.dropFirst(), by: { $0 == $1 })
    }
  }

  func isExcused(in path: String) -> Bool { excuses.contains { path.hasPrefix($0) } }

  private static let namesOfTests = ["Documentation/Faults.md": "it names tests as they are called"]

  static let all: [UnwantedWord] = [
    UnwantedWord("fellow", "fellows", say: "mesh peer"),
    UnwantedWord("astir", say: "active"),
    UnwantedWord("rouse", "rouses roused rousing", say: "activate"),
    UnwantedWord(
      "at rest", say: "idle",
      except: namesOfTests.merging(
        [
          "README.md": "nothing is encrypted at rest, as the field says", "Documentation/ThreatModel.md": "the same",
        ], uniquingKeysWith: { first, _ in first })),
    UnwantedWord("beckon", "beckons beckoned beckoning", say: "announce"),
    UnwantedWord("loan", "loans loaned", say: "lease", except: namesOfTests),
    UnwantedWord(
      "lend", "lends lending lender lenders lent", say: "lease",
      except: namesOfTests.merging(
        ["Documentation/StateSemantics.md": "a library lends books"], uniquingKeysWith: { first, _ in first })),
    UnwantedWord("tenure", "tenures", say: "lease"),
    UnwantedWord("lessor", "lessors", say: "grantor"),
    UnwantedWord("sign of life", "signs", say: "liveness lock", except: namesOfTests),
    UnwantedWord(
      "strand", "strands", say: "sequence",
      except: ["Sources/StarlingCore/Tables/SequenceTable.swift": "a drawing names the property"]),
    UnwantedWord("seam", "seams", say: "boundary"),
    UnwantedWord("spot", "spots", say: "position"),
    UnwantedWord("deed", "deeds", say: "undo record"),
    UnwantedWord("succession", "successions", say: "id remapping"),
    UnwantedWord("weather", say: "network faults"),
    UnwantedWord("hand driven", say: "manual"),
    UnwantedWord("proved state", say: "validated snapshot"),
    UnwantedWord(
      "door", "doors", say: "socket, role or permission",
      except: ["Sources/SyncDemo/Library.swift": "a library has a door"]),
    UnwantedWord("duty", "duties", say: "effect"),
    UnwantedWord(
      "ruler", "rulers", say: "owning lock",
      except: ["Sources/StarlingGraph/": "properties and parameters are named so"]),
    UnwantedWord(
      "junction", "junctions", say: "owning lock", except: ["Sources/StarlingGraph/": "a type is named so"]),
    UnwantedWord("errand", "errands", say: "refresh"),
    UnwantedWord("bell", "bells", say: "wakeup"),
    UnwantedWord("let go", "lets letting", say: "collect, drop or release", except: namesOfTests),
    UnwantedWord("fold", "folds folded folding", say: "compact", except: namesOfTests),
    UnwantedWord("floor", "floors", say: "log start"),
    UnwantedWord(
      "ticket", "tickets", say: "clean-shutdown marker",
      except: namesOfTests.merging(
        ["Sources/StarlingSQLite/": "the marker's file has that name in every store"],
        uniquingKeysWith: { first, _ in first })),
    UnwantedWord("owe", "owes owed owing", say: "outstanding"),
    UnwantedWord(
      "withhold", "withholds withheld withholding", say: "postpone",
      except: ["Sources/StarlingCore/Patches/": "a type is named so"]),
    UnwantedWord("room", "rooms", say: "space, capacity or module", except: namesOfTests),
    UnwantedWord("level again", say: "up to date", except: namesOfTests),
  ]
}

/// A line that somebody reads, as its words.
private struct ReadText {
  let path: String
  let line: Int
  let words: [Substring]

  init(_ text: some StringProtocol, at path: String, _ line: Int) {
    self.path = path
    self.line = line
    words = Self.withoutCode(text).lowercased().split { !$0.isLetter && $0 != "_" }.map { $0 }
  }

  /// The line without what stands between backticks, and without where its links lead.
  private static func withoutCode(_ text: some StringProtocol) -> String {
    var kept = ""
    var (isCode, isTarget) = (false, false)
    var before: Character = " "
    for character in text {
      if character == "`" { isCode.toggle() }
      if character == "(", before == "]" { isTarget = true }
      kept.append(isCode || isTarget ? "0" : character)
      if character == ")" { isTarget = false }
      before = character
    }
    return kept
  }
}

extension House {
  /// Pages, the strings of sources, and their comments of three slashes. Those of two modules are still written in older
  /// words, and are not read here.
  fileprivate var readTexts: [ReadText] {
    let unread = ["Sources/StarlingEngine/", "Sources/StarlingSession/"]
    let pages = files.filter { $0.key.hasSuffix(".md") }.flatMap { path, text in
      (text ?? "").split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
        ReadText(line, at: path, index + 1)
      }
    }
    let sources = swiftFiles.filter { $0.path.hasPrefix("Sources/") }.flatMap { file in
      file.tokens.filter { $0.kind == .literal }.map { ReadText($0.text, at: file.path, $0.line) }
        + file.comments.filter { $0.value.hasPrefix("///") && !unread.contains(where: file.path.hasPrefix) }
        .map { ReadText($0.value, at: file.path, $0.key) }
    }
    return (pages + sources).sorted { ($0.path, $0.line) < ($1.path, $1.line) }
  }
}

@Suite struct `The rule of words` {
  private func findings(_ text: String, at path: String) -> [Finding] {
    Rule.wordsAreThoseOfTheGlossary.check(House([path: text]))
  }

  @Test(arguments: ["An id on loan.", "Signs of life.", "It lets go of it.", "No room is left.", "[Folding](a.md)"])
  func `refuses an older word in a page, a comment and a string`(_ text: String) {
    #expect(findings("# A\n\(text)", at: "Documentation/A.md").map(\.line) == [2])
    #expect(findings("/// \(text)\nlet a = 1", at: "Sources/A/A.swift").map(\.line) == [1])
    #expect(findings("let a = \"\(text)\"", at: "Sources/A/A.swift").map(\.line) == [1])
  }

  @Test(arguments: [
    "An id is leased.", "`Replica.room` waits.", "[why](Decisions/a-room.md)", "starling_folds_total",
    "A roommate", "A sign of a change",
  ])
  func `accepts the glossary's, and names in code`(_ text: String) {
    #expect(findings(text, at: "Documentation/A.md") == [])
    #expect(findings("/// \(text)", at: "Sources/A/A.swift") == [])
  }

  @Test func `excuses a word where it stands for something else`() {
    #expect(findings("Nothing is encrypted at rest.", at: "README.md") == [])
    #expect(findings("Documents at rest.", at: "Documentation/Limits.md").count == 1)
    #expect(findings("// no room\nlet room = 1", at: "Sources/A/A.swift") == [])
  }
}
