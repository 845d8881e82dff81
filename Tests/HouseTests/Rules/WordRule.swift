import Testing

extension Rule {
  /// Two words for one idea cost every reader a guess. Documentation/Glossary.md has the words that stay.
  static let wordsAreThoseOfTheGlossary = Rule("names and texts say the glossary's words, and no older ones") {
    house in
    let found = house.readTexts.flatMap { text in
      UnwantedWord.all(in: text.words).filter { !$0.isExcused(in: text.path) }.map { word in
        Finding(
          path: text.path, line: text.line,
          what: "\"\(word.spelling.joined(separator: " "))\" is no word of the glossary",
          remedy: "Say \(word.term)")
      }
    }
    return found + house.namesWithUnwantedWords + house.sentencesWithoutTheirNoun
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
  /// Words right before it that make it a plain phrase.
  let companions: Set<Substring>
  /// Beginnings of the paths where the word stands for something else, each with why.
  let excuses: [String]

  init(
    _ spelling: String, _ forms: String = "", say term: String, unlessAfter companions: String = "",
    except excuses: [String: String] = [:]
  ) {
    self.spelling = spelling.split(separator: " ").map(String.init)
    self.forms = Set(forms.split(separator: " ")).union([Substring(self.spelling[0])])
    self.term = term
    self.companions = Set(companions.split(separator: " "))
    self.excuses = excuses.keys.sorted()
  }

  /// Those that stand in a text, in its order.
  static func all(in words: [Substring]) -> [UnwantedWord] {
    words.indices.flatMap { place in
      (byFirstWord[words[place]] ?? []).filter { word in
        words[(place + 1)...].prefix(word.spelling.count - 1).elementsEqual(word.spelling.dropFirst(), by: { $0 == $1 })
          && (place == words.startIndex || !word.companions.contains(words[place - 1]))
      }
    }
  }

  private static let byFirstWord: [Substring: [UnwantedWord]] = all.reduce(into: [:]) { words, word in
    for form in word.forms { words[form, default: []].append(word) }
  }

  func isExcused(in path: String) -> Bool {
    path == "Tests/HouseTests/Rules/WordRule.swift" || excuses.contains { path.hasPrefix($0) }
  }

  /// What documents of tests are about.
  private static let lendingLibrary = [
    "Tests/StarlingModelTests/": "books of a library are lent", "Tests/StarlingCoreTests/": "the same",
    "Tests/StarlingViewTests/": "the same", "Tests/StarlingTerminalTests/": "the same",
    "Tests/StarlingWireTests/Support/AcceptedVectors.swift": "the same",
    "Documentation/StateSemantics.md": "the same",
  ]
  private static let all: [UnwantedWord] = [
    UnwantedWord("fellow", "fellows", say: "mesh peer"),
    UnwantedWord("astir", say: "active"),
    UnwantedWord("rouse", "rouses roused rousing", say: "activate"),
    UnwantedWord(
      "at rest", say: "idle",
      except: [
        "README.md": "nothing is encrypted at rest, as the field says", "Documentation/ThreatModel.md": "the same",
      ]),
    UnwantedWord("beckon", "beckons beckoned beckoning", say: "announce"),
    UnwantedWord("loan", "loans loaned", say: "lease", except: lendingLibrary),
    UnwantedWord("lend", "lends lending lender lenders lent", say: "lease", except: lendingLibrary),
    UnwantedWord("tenure", "tenures", say: "lease"),
    UnwantedWord("lessor", "lessors", say: "grantor"),
    UnwantedWord("sign of life", "signs", say: "liveness lock"),
    UnwantedWord("strand", "strands", say: "sequence"),
    UnwantedWord("seam", "seams", say: "boundary"),
    UnwantedWord("spot", "spots", say: "position"),
    UnwantedWord("deed", "deeds", say: "undo record"),
    UnwantedWord("succession", "successions", say: "id remapping"),
    UnwantedWord("weather", say: "network faults"),
    UnwantedWord("hand driven", say: "manual"),
    UnwantedWord("proved state", say: "validated snapshot"),
    UnwantedWord(
      "door", "doors", say: "socket, role or permission",
      except: [
        "Sources/SyncDemo/Library.swift": "a library has a door", "Tests/StarlingExpositionTests/": "the same",
      ]),
    UnwantedWord("duty", "duties", say: "effect"),
    UnwantedWord("ruler", "rulers", say: "owning lock"),
    UnwantedWord("junction", "junctions", say: "owning lock"),
    UnwantedWord("errand", "errands", say: "refresh"),
    UnwantedWord(
      "bell", "bells", say: "wakeup",
      except: ["Tests/HouseTests/Rules/PortabilityRule.swift": "code to refuse, as somebody might write it"]),
    UnwantedWord("let go", "lets letting", say: "collect, drop or release"),
    UnwantedWord("fold", "folds folded folding", say: "compact"),
    UnwantedWord("floor", "floors", say: "log start"),
    UnwantedWord(
      "ticket", "tickets", say: "clean-shutdown marker",
      except: [
        "Sources/StarlingSQLite/": "the marker's file has that name in every store",
        "Tests/StarlingSQLiteTests/": "the same", "Scripts/fuzz": "the same",
        "Tests/StarlingModelTests/": "tickets lie on a board", "Tests/StarlingGuardTests/": "a thread draws one",
        "Tests/HouseTests/Rules/StrangerRule.swift": "the word that it refuses",
      ]),
    UnwantedWord("owe", "owes owed owing", say: "outstanding"),
    UnwantedWord("withhold", "withholds withheld withholding", say: "postpone"),
    UnwantedWord(
      "room", "rooms", say: "space, capacity or module",
      except: ["Tests/StarlingWireTests/Support/AcceptedVectors.swift": "the content of a vector"]),
    UnwantedWord("level again", say: "up to date"),
    UnwantedWord("anew", say: "again"),
    UnwantedWord("beneath", say: "below"),
    UnwantedWord("wherein", say: "in which"),
    UnwantedWord("became of", "become becomes", say: "the outcome of, or what happens to"),
    UnwantedWord("came of", say: "the outcome of"),
    UnwantedWord("it came to", say: "its outcome, or reduced to"),
    UnwantedWord("they came to", say: "their outcome, or reduced to"),
    UnwantedWord("meanwhile", say: "since then, until then or at the same time"),
    UnwantedWord("whom", say: "which peers, which writer, or that"),
    UnwantedWord(
      "of which", say: "whose, that, or a sentence of its own",
      unlessAfter: "one each all none some any most many part half either neither"),
    UnwantedWord("for who", "at before beside by from than to under upon", say: "a caller, a reader or a peer that"),
    UnwantedWord("of who", "with", say: "the peer, the writer or the caller that"),
    UnwantedWord("wake who", "wakes woke", say: "the readers that"),
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
      // Code and punctuation stand between the words around them.
      if isCode {
        kept.append("_")
      } else if isTarget {
        kept.append("0")
      } else if ".,;:!?()".contains(character) {
        kept.append(" _ ")
      } else {
        kept.append(character)
      }
      if character == ")" { isTarget = false }
      before = character
    }
    return kept
  }

  /// The words of a name: `hasLetGo` is has, let, go; a name in backticks may be a sentence.
  static func words(ofName name: String) -> [Substring] {
    var spaced = ""
    for character in name {
      if character.isUppercase { spaced.append(" ") }
      spaced.append(character.isLetter ? Character(character.lowercased()) : " ")
    }
    return spaced.split(separator: " ")
  }
}

extension House {
  /// Pages, scripts, and the strings and comments of Swift files.
  fileprivate var readTexts: [ReadText] {
    let lines = files.filter { Self.isReadByLine($0.key) }.flatMap { path, text in
      (text ?? "").split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
        ReadText(line, at: path, index + 1)
      }
    }
    let sources = swiftFiles.flatMap { file in
      file.tokens.filter { $0.kind == .literal }.map { ReadText($0.text, at: file.path, $0.line) }
        + file.comments.map { ReadText($0.value, at: file.path, $0.key) }
    }
    return (lines + sources).sorted { ($0.path, $0.line) < ($1.path, $1.line) }
  }

  private static func isReadByLine(_ path: String) -> Bool {
    let endings = [".md", ".py", ".sh", ".c", ".h", ".yml", ".service", "Makefile", "Dockerfile"]
    return path.hasPrefix("Scripts/") && !path.hasSuffix(".json") || endings.contains { path.hasSuffix($0) }
  }

  /// "Who writes waits": a reader must guess whether that is a caller, a peer or a person.
  fileprivate var sentencesWithoutTheirNoun: [Finding] {
    swiftFiles.flatMap { file in
      file.comments.filter { Self.beginsWithWho($0.value) }.map { line, _ in
        Finding(
          path: file.path, line: line, what: "a sentence that begins with \"Who\" does not say what acts",
          remedy: "Name it: the caller, a peer, the reader")
      }
    }
  }

  private static func beginsWithWho(_ comment: String) -> Bool {
    let text = comment.drop { $0 == "/" || $0 == " " }
    let begins = ["Who ", "Whose "].contains { text.hasPrefix($0) || text.contains(". " + $0) }
    return begins && !text.contains("?")
  }

  /// Each spelling is taken apart once.
  fileprivate var namesWithUnwantedWords: [Finding] {
    var known: [String: [UnwantedWord]] = [:]
    return swiftFiles.flatMap { file in
      var told: Set<String> = []
      return file.tokens.filter { $0.kind == .word && told.insert($0.text).inserted }.flatMap { token -> [Finding] in
        let words = known[token.text] ?? UnwantedWord.all(in: ReadText.words(ofName: token.text))
        known[token.text] = words
        return words.filter { !$0.isExcused(in: file.path) }.map { word in
          Finding(
            path: file.path, line: token.line,
            what: "\(token.text) says \"\(word.spelling.joined(separator: " "))\", which is no word of the glossary",
            remedy: "Say \(word.term)")
        }
      }
    }
  }
}

@Suite struct `The rule of words` {
  private func findings(_ text: String, at path: String) -> [Finding] {
    Rule.wordsAreThoseOfTheGlossary.check(House([path: text]))
  }

  @Test(arguments: [
    "An id on loan.", "Signs of life.", "It lets go of it.", "No room is left.", "[Folding](a.md)", "Read anew.",
    "A list of which nothing is left.", "A peer whom it dials.", "Told to who asks.", "Two of which each is one.",
    "What becomes of it.", "The strokes they came to.", "It wakes who reads.", "Written meanwhile.",
  ])
  func `refuses an older word in a page, a script, a comment and a string`(_ text: String) {
    #expect(findings("# A\n\(text)", at: "Documentation/A.md").map(\.line) == [2])
    #expect(findings("set -e\n# \(text)", at: "Scripts/a").map(\.line) == [2])
    #expect(findings("/// \(text)\nlet a = 1", at: "Sources/StarlingSession/A.swift").map(\.line) == [1])
    #expect(findings("let b = 1\n// \(text)\nlet a = 1", at: "Tests/ATests/A.swift").map(\.line) == [2])
    #expect(findings("let a = \"\(text)\"", at: "Sources/A/A.swift").map(\.line) == [1])
  }

  @Test(arguments: ["Who writes waits.", "It waits. Who writes goes on.", "Whose id it is."])
  func `refuses a comment's sentence without its noun`(_ text: String) {
    #expect(findings("/// \(text)\nlet a = 1", at: "Sources/A/A.swift").map(\.line) == [1])
    #expect(findings("// Who goes first?\nlet a = 1", at: "Sources/A/A.swift") == [])
  }

  @Test(arguments: [
    "struct Tenure {}", "let a = 1; func letGo() {}", "let seamCount = 1", "enum A { case belowFloor }",
    "func `makes room for another`() {}",
  ])
  func `refuses an older word in a name`(_ code: String) {
    #expect(findings("\n" + code, at: "Sources/StarlingEngine/A.swift").map(\.line) == [2])
  }

  @Test(arguments: [
    "An id is leased.", "`Replica.room` waits.", "[why](Decisions/a-room.md)", "starling_folds_total",
    "A roommate", "A sign of a change", "Two documents, one of which is open.", "It says who asked.", "They came back.",
    "A copy of `Replica`, which is read.", "It is what it came. Of two one is left.",
  ])
  func `accepts the glossary's, and names in code`(_ text: String) {
    #expect(findings(text, at: "Documentation/A.md") == [])
    #expect(findings("/// \(text)", at: "Sources/A/A.swift") == [])
  }

  @Test(arguments: ["let folder = 1", "func unfold() {}", "let atRestart = 1", "let Calendar = 1"])
  func `accepts names that only hold the letters`(_ code: String) {
    #expect(findings(code, at: "Sources/A/A.swift") == [])
  }

  @Test func `excuses a word where it stands for something else`() {
    #expect(findings("Nothing is encrypted at rest.", at: "README.md") == [])
    #expect(findings("Documents at rest.", at: "Documentation/Limits.md").count == 1)
    #expect(findings("let loan = 1", at: "Tests/StarlingModelTests/A.swift") == [])
    #expect(findings("let loan = 1", at: "Sources/StarlingModel/A.swift").count == 1)
  }
}
