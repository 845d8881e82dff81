import Testing

@Suite struct `A refusal` {
  @Test func `row 82: meets a struct`() {
    expectRefusal(
      #"""
      @Replicated struct Book {
      }
      """#,
      "'@Replicated' needs a final class, not a struct: replicas share an object by its identity",
      at: 1, 13, fix: "Make it a final class",
      #"""
      @Replicated final class Book {
      }
      """#)
  }

  @Test func `meets an enum`() {
    expectRefusal(
      #"""
      @Replicated enum Book {
      }
      """#,
      "'@Replicated' needs a final class, not an enum: replicas share an object by its identity",
      at: 1, 13, fix: "Remove '@Replicated'; a raw value enum replicates as a property",
      #"""
      enum Book {
      }
      """#)
  }

  @Test func `meets an actor`() {
    expectRefusal(
      #"""
      @Replicated actor Book {
      }
      """#,
      "'@Replicated' needs a final class, not an actor: replicas share an object by its identity",
      at: 1, 13, fix: "Make it a final class",
      #"""
      @Replicated final class Book {
      }
      """#)
  }

  @Test func `meets a class that is not final`() {
    expectRefusal(
      #"""
      @Replicated class Book {
      }
      """#,
      "'Book' must be final: a subclass would add state that its replicas do not know",
      at: 1, 13, fix: "Make it final",
      #"""
      @Replicated final class Book {
      }
      """#)
  }

  @Test func `meets an open class`() {
    expectRefusal(
      #"""
      @Replicated open class Book {
      }
      """#,
      "'Book' must be final: a subclass would add state that its replicas do not know",
      at: 1, 18, fix: "Make it final",
      #"""
      @Replicated public final class Book {
      }
      """#)
  }

  @Test func `meets a generic class`() {
    expectRefusal(
      #"""
      @Replicated final class Shelf<Content> {
      }
      """#,
      "'Shelf' is generic, and a generic class has no place for the table of its properties", at: 1, 30,
      fix: "Remove the generic parameters",
      #"""
      @Replicated final class Shelf {
      }
      """#)
  }

  @Test func `meets a subclass`() {
    expectRefusal(
      #"""
      @Replicated final class Novel: Book, Sendable {
        override func read() {}
      }
      """#,
      "'Novel' cannot inherit from 'Book': a replicated model is a class of its own",
      at: 1, 32, fix: "Remove the superclass and hold it as a property",
      #"""
      @Replicated final class Novel: Sendable {
        override func read() {}
      }
      """#)
  }

  @Test func `meets a subclass of nothing else`() {
    expectRefusal(
      #"""
      @Replicated final class Novel: Book {
        func read() { super.read() }
      }
      """#,
      "'Novel' cannot inherit from 'Book': a replicated model is a class of its own",
      at: 1, 32, fix: "Remove the superclass and hold it as a property",
      #"""
      @Replicated final class Novel {
        func read() { super.read() }
      }
      """#)
  }

  @Test func `meets an unowned property`() {
    expectRefusal(
      #"""
      @Replicated final class Book {
        unowned var shelf: Shelf
      }
      """#,
      "'shelf' cannot be unowned: the object it names may be removed by another replica",
      at: 2, 3, fix: "Hold it weakly",
      #"""
      @Replicated final class Book {
        weak var shelf: Shelf?
      }
      """#)
  }

  @Test func `meets several properties in one declaration`() {
    expectRefusal(
      #"""
      @Replicated final class Book {
        var width, height: Int
      }
      """#,
      "Each replicated property needs a declaration of its own",
      at: 2, 7, fix: "Declare them one by one",
      #"""
      @Replicated final class Book {
        var width: Int
        var height: Int
      }
      """#)
  }

  @Test func `meets a tuple`() {
    expectRefusal(
      #"""
      @Replicated final class Book {
        var (width, height) = (1, 2)
      }
      """#,
      "Each replicated property needs a declaration of its own",
      at: 2, 7, fix: "Declare them one by one",
      #"""
      @Replicated final class Book {
        var width = 1
        var height = 2
      }
      """#)
  }

  @Test func `meets a tuple with a type, and another in it`() {
    expectRefusal(
      #"""
      @Replicated final class Book {
        var (title, (width, _, height)): (String, (Int, Int, Int)) = ("Dune", size)
      }
      """#,
      "Each replicated property needs a declaration of its own",
      at: 2, 7, fix: "Declare them one by one",
      #"""
      @Replicated final class Book {
        var title: String = "Dune"
        var width: Int = <#default#>
        var height: Int = <#default#>
      }
      """#)
  }

  @Test func `meets an implicitly unwrapped type`() {
    expectRefusal(
      #"""
      @Replicated final class Book {
        var title: String!
      }
      """#,
      "'title' cannot be implicitly unwrapped: another replica may set it to nil",
      at: 2, 14, fix: "Make it optional",
      #"""
      @Replicated final class Book {
        var title: String?
      }
      """#)
  }

  @Test func `meets an array of anything`() {
    expectRefusal(
      #"""
      @Replicated final class Book {
        var notes: [Any] = []
      }
      """#,
      "'notes' cannot replicate: elements of type 'Any' do not say what they are made of",
      at: 2, 15, fix: "Keep it on this replica with '@Local'",
      #"""
      @Replicated final class Book {
        @Local var notes: [Any] = []
      }
      """#)
  }

  @Test func `meets an array of functions`() {
    expectRefusal(
      #"""
      @Replicated final class Book {
        var actions: ReplicatedArray<() -> Void> = []
      }
      """#,
      "'actions' cannot replicate: elements of type '() -> Void' do not say what they are made of",
      at: 2, 32, fix: "Keep it on this replica with '@Local'",
      #"""
      @Replicated final class Book {
        @Local var actions: ReplicatedArray<() -> Void> = []
      }
      """#)
  }

  @Test func `meets an array that is stored contiguously`() {
    expectRefusal(
      #"""
      @Replicated final class Book {
        var pages: ContiguousArray<Int> = []
      }
      """#,
      "'pages' cannot be a ContiguousArray; arrays replicate element by element",
      at: 2, 14, fix: "Use an array",
      #"""
      @Replicated final class Book {
        var pages: [Int] = []
      }
      """#)
  }

  @Test func `meets a property without a default`() {
    expectRefusal(
      #"""
      @Replicated final class Book {
        var size: Size
      }
      """#,
      "'size' needs a default: a replica shows it until it hears of another value",
      at: 2, 13, fix: "Give it a default",
      #"""
      @Replicated final class Book {
        var size: Size = <#default#>
      }
      """#)
  }

  @Test func `meets a constant without a default`() {
    expectRefusal(
      #"""
      @Replicated final class Book {
        let number: Int
      }
      """#,
      "'number' needs a default: it is not replicated, and an object that comes from another replica has no other value for it",
      at: 2, 7, fix: "Replicate it with 'var'",
      #"""
      @Replicated final class Book {
        var number: Int
      }
      """#)
  }

  @Test func `meets an observer that reads a value of a type unknown`() {
    expectRefusal(
      #"""
      @Replicated final class Book {
        var size = Size() { didSet { print(oldValue) } }
      }
      """#,
      "'size' needs its type written, for its observer reads 'oldValue'",
      at: 2, 7, fix: "Write the type",
      #"""
      @Replicated final class Book {
        var size: <#type#> = Size() { didSet { print(oldValue) } }
      }
      """#)
  }

  @Test func `meets a lazy property that any thread may reach`() {
    expectRefusal(
      #"""
      @Replicated final class Book: Sendable {
        lazy var cache = 1
      }
      """#,
      "'cache' is lazy, which is safe only in a class isolated to an actor, such as '@MainActor'",
      at: 2, 3, fix: "Isolate 'Book' to the main actor",
      #"""
      @Replicated @MainActor final class Book: Sendable {
        lazy var cache = 1
      }
      """#)
  }

  @Test func `meets a wrapped property that any thread may reach`() {
    expectRefusal(
      #"""
      @Replicated final class Book: Sendable {
        @AppStorage("x") var size = 1
      }
      """#,
      "'size' is wrapped by '@AppStorage', which is safe only in a class isolated to an actor, such as '@MainActor'",
      at: 2, 3, fix: "Isolate 'Book' to the main actor",
      #"""
      @Replicated @MainActor final class Book: Sendable {
        @AppStorage("x") var size = 1
      }
      """#)
  }

  @Test func `meets a weak property that any thread may reach`() {
    expectRefusal(
      #"""
      @Replicated final class Book: Sendable {
        weak var owner: Owner?
      }
      """#,
      "'owner' is weak, which is safe only in a class isolated to an actor, such as '@MainActor'",
      at: 2, 3, fix: "Isolate 'Book' to the main actor",
      #"""
      @Replicated @MainActor final class Book: Sendable {
        weak var owner: Owner?
      }
      """#)
  }

  @Test func `meets an ignored property without a default`() {
    expectRefusal(
      #"""
      @Replicated final class Book {
        @ReplicatedIgnored var cache: Cache
      }
      """#,
      "'cache' needs a default: it is not replicated, and an object that comes from another replica has no other value for it",
      at: 2, 26, fix: "Give it a default",
      #"""
      @Replicated final class Book {
        @ReplicatedIgnored var cache: Cache = <#default#>
      }
      """#)
  }
}
