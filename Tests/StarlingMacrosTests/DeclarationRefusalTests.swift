import Testing

@Suite struct `A refusal of a declaration` {
  @Test(arguments: ["macOS 27, *", "*, unavailable", "macOS, introduced: 27", "macOS, unavailable"])
  func `meets a property that is not there for everybody`(availability: String) {
    expectRefusal(
      """
      @Replicated final class Book {
        @available(\(availability)) var title = ""
      }
      """,
      "'title' is stored on every platform and in every version: '@available' may only deprecate it",
      at: 2, 3, fix: "Remove '@available'",
      """
      @Replicated final class Book {
        var title = ""
      }
      """)
  }

  @Test func `meets a property that another actor isolates`() {
    expectRefusal(
      #"""
      @Replicated final class Book {
        @MainActor var title = ""
      }
      """#,
      "'title' cannot be isolated alone: the properties of a model have one isolation",
      at: 2, 3, fix: "Isolate 'Book' by '@MainActor'",
      #"""
      @Replicated @MainActor final class Book {
        @MainActor var title = ""
      }
      """#)
  }

  @Test func `meets a property that names the actor of its class`() {
    expectRefusal(
      #"""
      @Archive @Replicated final class Book {
        @Archive var title = ""
      }
      """#,
      "'title' has the isolation of 'Book' already",
      at: 2, 3, fix: "Remove '@Archive'",
      #"""
      @Archive @Replicated final class Book {
        var title = ""
      }
      """#)
  }

  @Test func `meets a conformance that the compiler cannot write`() {
    expectRefusal(
      #"""
      @Replicated public final class Book: Sendable, Codable {
        var title = ""
        var `default` = Size()
      }
      """#,
      "The compiler cannot write 'init(from:)' and 'encode(to:)' of a model: write it here, or declare 'Codable' on the extension that has it",
      at: 1, 48, fix: "Write 'init(from:)' and 'encode(to:)'",
      #"""
      @Replicated public final class Book: Sendable, Codable {
        var title = ""
        var `default` = Size()
        private enum CodingKeys: CodingKey { case title, `default` }
        public init(from decoder: any Decoder) throws {
          let values = try decoder.container(keyedBy: CodingKeys.self)
          title = try values.decode(String.self, forKey: .title)
          `default` = try values.decode(<#type#>.self, forKey: .`default`)
        }
        public func encode(to encoder: any Encoder) throws {
          var values = encoder.container(keyedBy: CodingKeys.self)
          try values.encode(title, forKey: .title)
          try values.encode(`default`, forKey: .`default`)
        }
      }
      """#)
  }

  @Test func `meets half of such a conformance`() {
    expectRefusal(
      #"""
      @Replicated final class Book: Codable {
        init(from decoder: any Decoder) throws {}
      }
      """#,
      "The compiler cannot write 'encode(to:)' of a model: write it here, or declare 'Codable' on the extension that has it",
      at: 1, 31, fix: "Write 'encode(to:)'",
      #"""
      @Replicated final class Book: Codable {
        init(from decoder: any Decoder) throws {}
        func encode(to encoder: any Encoder) throws {
        }
      }
      """#)
  }

  @Test func `meets a class in a generic type`() {
    expectRefusal(
      #"""
      struct Shelf<Content> {
        @Replicated final class Book {
        }
      }
      """#,
      "'Book' stands in a generic type, which has no place for the table of its properties; declare it outside",
      at: 2, 27, fix: nil)
  }

  @Test func `meets a class in a function`() {
    expectRefusal(
      #"""
      func read() {
        @Replicated final class Book {
        }
      }
      """#,
      "'Book' stands in a function, where a class can have no extension; declare it outside",
      at: 2, 27, fix: nil)
  }

  @Test func `meets a property within a condition`() {
    expectRefusal(
      #"""
      @Replicated final class Book {
        #if DEBUG
          unowned var shelf: Shelf
        #endif
      }
      """#,
      "'shelf' cannot be unowned: the object it names may be removed by another replica",
      at: 3, 5, fix: "Hold it weakly",
      #"""
      @Replicated final class Book {
        #if DEBUG
          weak var shelf: Shelf?
        #endif
      }
      """#)
  }
}
