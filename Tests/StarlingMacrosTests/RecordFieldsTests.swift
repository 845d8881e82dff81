import Testing

@Suite struct `A struct of replicated fields` {
  @Test func `a struct, its table, its conformance`() {
    expectExpansion(
      #"""
      @ReplicatedFields public struct User {
        public var name = ""
        private var `default`: Int, age = 3
        let kind = "user"
        static var shared = 1
        var greeting: String { name }
        @ReplicatedIgnored var cache: Int?
      }
      """#,
      #"""
      public struct User {
        public var name = ""
        private var `default`: Int, age = 3
        let kind = "user"
        static var shared = 1
        var greeting: String { name }
        var cache: Int?
      }

      extension User: nonisolated StarlingModel.ReplicatedFields {
        public nonisolated static let _$fields = StarlingModel._Replicated.RecordFields<User>(
          StarlingModel._Replicated.recordField("name", \User.name) {
            StarlingModel._Replicated.coding($0)
          },
          StarlingModel._Replicated.recordField("default", \User.`default`) {
            StarlingModel._Replicated.coding($0)
          },
          StarlingModel._Replicated.recordField("age", \User.age) {
            StarlingModel._Replicated.coding($0)
          }
        )
      }
      """#)
  }

  @Test func `meets a class`() {
    expectRefusal(
      #"""
      @ReplicatedFields final class User {
      }
      """#,
      "'@ReplicatedFields' needs a struct, whose stored properties are its fields", at: 1, 25,
      fix: "Use '@Replicated', which replicates a class property by property",
      #"""
      @Replicated final class User {
      }
      """#)
  }

  @Test func `meets an enum`() {
    expectRefusal(
      #"""
      @ReplicatedFields enum User {
      }
      """#,
      "'@ReplicatedFields' needs a struct, whose stored properties are its fields", at: 1, 19,
      fix: "Remove '@ReplicatedFields'; the value replicates whole",
      #"""
      enum User {
      }
      """#)
  }

  @Test func `meets a generic struct`() {
    expectRefusal(
      #"""
      @ReplicatedFields struct User<Name> {
      }
      """#,
      "'User' is generic, and a generic type has no place for the table of its fields", at: 1, 30,
      fix: "Remove '@ReplicatedFields'; the value replicates whole",
      #"""
      struct User<Name> {
      }
      """#)
  }

  @Test func `meets a constant without a default`() {
    expectRefusal(
      #"""
      @ReplicatedFields struct User {
        let name: String
      }
      """#,
      "'name' cannot be a constant: a field takes on what other replicas write", at: 2, 3,
      fix: "Replicate it with 'var'",
      #"""
      @ReplicatedFields struct User {
        var name: String
      }
      """#)
  }

  @Test func `meets a property with observers`() {
    expectRefusal(
      #"""
      @ReplicatedFields struct User {
        var name = "" {
          didSet { print(name) }
        }
      }
      """#,
      "'name' cannot have observers: what other replicas write would pass them by", at: 2, 17,
      fix: "Remove the observers",
      #"""
      @ReplicatedFields struct User {
        var name = ""
      }
      """#)
  }

  @Test func `meets a lazy property`() {
    expectRefusal(
      #"""
      @ReplicatedFields struct User {
        lazy var name = ""
      }
      """#,
      "'name' cannot be lazy: a field has a value from the start", at: 2, 3, fix: "Remove 'lazy'",
      #"""
      @ReplicatedFields struct User {
        var name = ""
      }
      """#)
  }

  @Test func `meets a wrapped property`() {
    expectRefusal(
      #"""
      @ReplicatedFields struct User {
        @Trimmed var name = ""
      }
      """#,
      "'name' is wrapped by '@Trimmed', whose storage is not a field of its own", at: 2, 3,
      fix: "Keep it out of the record with '@ReplicatedIgnored'",
      #"""
      @ReplicatedFields struct User {
        @ReplicatedIgnored @Trimmed var name = ""
      }
      """#)
  }

  @Test func `meets a pattern of several names`() {
    expectRefusal(
      #"""
      @ReplicatedFields struct User {
        var (name, age) = ("", 0)
      }
      """#,
      "Each field needs a declaration of its own", at: 2, 7, fix: "Declare them one by one",
      #"""
      @ReplicatedFields struct User {
        var name = ""
        var age = 0
      }
      """#)
  }
}
