import Testing

@Suite struct `A former name` {
  @Test func `stands in the table of a class`() {
    expectExpansion(
      #"""
      @Replicated final class Book {
        @Renamed(from: "name") @Renamed(from: "caption") var title = ""
      }
      """#,
      #"""
      final class Book {
        \#("")
        var title {
        get {
          _$model.read(_title, 0, self)
        }
        set {
          _$model.setValue(_title, 0, self, newValue)
        }
        _modify {
          var edit = _$model.edit(_title)
          defer {
            _$model.finishValue(edit, _title, 0, self)
          }
          yield &edit.value
        }
        }

        private let _title = StarlingModel._Replicated.Field("")

        nonisolated let _$model = StarlingModel._Replicated.ModelState()

        nonisolated static let _$schema = StarlingModel._Replicated.ModelSchema<Book>(
          fields: ["title"], formerly: [0: ["name", "caption"]], make: _$make, keyPaths: _$keyPaths, visit: _$visit)

        private static func _$make() -> Book {
          Book()
        }

        init() {}

        private static func _$keyPaths() -> [PartialKeyPath<Book>] {
          [\.title]
        }

        private static func _$visit(_ model: Book, _ field: Int, _ visitor: inout StarlingModel._Replicated.FieldVisitor) {
          switch field {
          case 0:
            visitor.visitValue(model._title)
          default:
            break
          }
        }
      }

      extension Book: nonisolated StarlingModel.ReplicatedModel, nonisolated Observation.Observable {}
      """#)
  }

  @Test func `stands in the table of a struct`() {
    expectExpansion(
      #"""
      @ReplicatedFields struct User {
        @Renamed(from: "title") var name = ""
      }
      """#,
      #"""
      struct User {
        var name = ""
      }

      extension User: nonisolated StarlingModel.ReplicatedFields {
        nonisolated static let _$fields = StarlingModel._Replicated.RecordFields<User>(
          StarlingModel._Replicated.recordField("name", \User.name, formerly: ["title"]) {
            StarlingModel._Replicated.coding($0)
          }
        )
      }
      """#)
  }

  @Test func `is refused if another property has it`() {
    expectRefusal(
      #"""
      @Replicated final class Book {
        var name = ""
        @Renamed(from: "name") var title = ""
      }
      """#,
      "'name' is also a name of another property, and nothing would tell their values apart", at: 3, 3,
      fix: "Remove '@Renamed'",
      #"""
      @Replicated final class Book {
        var name = ""
        var title = ""
      }
      """#)
  }

  @Test func `is refused in a struct if another field had it`() {
    expectRefusal(
      #"""
      @ReplicatedFields struct User {
        var name = ""
        @Renamed(from: "name") var title = ""
      }
      """#,
      "'name' is also a name of another property, and nothing would tell their values apart", at: 3, 3,
      fix: "Remove '@Renamed'",
      #"""
      @ReplicatedFields struct User {
        var name = ""
        var title = ""
      }
      """#)
  }

  @Test func `is refused if it is the present one`() {
    expectRefusal(
      #"""
      @Replicated final class Book {
        @Renamed(from: "title") var title = ""
      }
      """#,
      "'title' is the name that it has now", at: 2, 3, fix: "Remove '@Renamed'",
      #"""
      @Replicated final class Book {
        var title = ""
      }
      """#)
  }

  @Test func `is refused if it is not a literal`() {
    expectRefusal(
      #"""
      @Replicated final class Book {
        @Renamed(from: former) var title = ""
      }
      """#,
      "The former name of 'title' must be a string literal", at: 2, 3, fix: "Write the name",
      #"""
      @Replicated final class Book {
        @Renamed(from: "<#former name#>") var title = ""
      }
      """#)
  }

  @Test func `is refused on what stays here`() {
    expectRefusal(
      #"""
      @Replicated final class Book {
        @Renamed(from: "open") @Local var isOpen = false
      }
      """#,
      "'isOpen' is not replicated, so it has no former name in the document", at: 2, 3, fix: "Remove '@Renamed'",
      #"""
      @Replicated final class Book {
        @Local var isOpen = false
      }
      """#)
  }
}
