import Testing

@Suite struct `What the compiler says of a model` {
  @Test func `nothing, where it is Hashable by operators of its own`() async throws {
    let errors = try await Compiler.errors(
      in: """
        import StarlingModel
        @Replicated final class Book: Sendable, Hashable {
          var title = ""
          var year = 1965 { didSet { _ = oldValue } }
          static func == (one: Book, other: Book) -> Bool { one === other }
          static func < (one: Book, other: Book) -> Bool { one.year < other.year }
          func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }
        func shelf(_ books: [Book]) -> Set<Book> { Set(books) }
        """)
    #expect(errors.isEmpty, "\(errors)")
  }

  @Test func `of a type that is not Codable: once, at the property, and what to do`() async throws {
    let errors = try await Compiler.errors(
      in: """
        import StarlingModel
        struct Point: Hashable, Sendable { var x = 0.0 }
        @Replicated final class Map: Sendable {
          var title = ""
          var center = Point()
          var corner: Point?
          var path: [Point] = []
          var track: ReplicatedArray<Point> = []
          var places: [String: Point] = [:]
          var seen: Set<Point> = []
          var names: [Point: String] = [:]
        }
        """)
    let notCodable = "is not Codable: make it so, or declare the property a ReplicatedRecord"
    #expect(errors.map(\.line) == [5, 6, 7, 8, 9, 10, 11], "\(errors)")
    for error in errors.prefix(2) { #expect(error.message.contains(notCodable), "\(error)") }
    for error in errors.dropFirst(2).prefix(2) {
      #expect(error.message.contains("the elements are not Codable: make them so"), "\(error)")
    }
    for error in errors.dropFirst(4).prefix(1) {
      #expect(error.message.contains("the values are not Codable: make them so"), "\(error)")
    }
    for error in errors.dropFirst(5) { #expect(error.message.contains("ReplicatedKey"), "\(error)") }
  }

  @Test func `of a superclass: that a model has none`() async throws {
    let errors = try await Compiler.errors(
      in: """
        import StarlingModel
        class Base { var number = 1 }
        protocol Named { associatedtype Name }
        @Replicated final class Book: Base {
          var title = ""
        }
        @Replicated final class Chapter: Named {
          typealias Name = String
          var title = ""
        }
        """)
    #expect(
      errors.contains {
        $0.message.contains("'ReplicatedModelsInheritFromNoClass' because it already contains class 'Base'")
      },
      "\(errors)")
    #expect(errors.allSatisfy { $0.line == 6 }, "\(errors)")
  }
}
