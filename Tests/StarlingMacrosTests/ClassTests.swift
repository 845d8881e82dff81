import Testing

@Suite struct `A class` {
  @Test func `a class, its table, its conformances`() {
    expectExpansion(
      #"""
      @Replicated final class Book: Sendable {
        var title = "A sample book"
        let constant = 1
        static var shared = 2
        var shouted: String { title }
        @ReplicatedIgnored var cache = 3
        @Local var isExpanded = false
        func read() {}
      }
      """#,
      #"""
      final class Book: Sendable {
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

        private let _title = StarlingModel._Replicated.Field("A sample book")
        let constant = 1
        static var shared = 2
        var shouted: String { title }
        var cache = 3
        var isExpanded {
        get {
          _$model.read(_isExpanded, 1, self)
        }
        set {
          _$model.setLocal(_isExpanded, 1, self, newValue)
        }
        _modify {
          var edit = _$model.edit(_isExpanded)
          defer {
            _$model.finishLocal(edit, _isExpanded, 1, self)
          }
          yield &edit.value
        }
        }

        private let _isExpanded = StarlingModel._Replicated.Field(false)
        func read() {}

        nonisolated let _$model = StarlingModel._Replicated.ModelState()

        nonisolated static let _$schema = StarlingModel._Replicated.ModelSchema<Book>(
          fields: ["title", nil], make: _$make, keyPaths: _$keyPaths, visit: _$visit)

        private static func _$make() -> Book {
          Book()
        }

        init() {}

        private static func _$keyPaths() -> [PartialKeyPath<Book>] {
          [\.title, \.isExpanded]
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

  @Test func `a public class with an initializer, and a property without a default`() {
    expectExpansion(
      #"""
      @Replicated public final class Letter {
        public var subject: String
        public init(subject: String) { self.subject = subject }
      }
      """#,
      #"""
      public final class Letter {
        public var subject: String {
        @storageRestrictions(initializes: _subject)
        init(initialValue) {
          _subject = StarlingModel._Replicated.Field(initialValue)
        }
        get {
          _$model.read(_subject, 0, self)
        }
        set {
          _$model.setValue(_subject, 0, self, newValue)
        }
        _modify {
          var edit = _$model.edit(_subject)
          defer {
            _$model.finishValue(edit, _subject, 0, self)
          }
          yield &edit.value
        }
        }

        private let _subject: StarlingModel._Replicated.Field<String>
        public init(subject: String) { self.subject = subject }

        public nonisolated let _$model = StarlingModel._Replicated.ModelState()

        public nonisolated static let _$schema = StarlingModel._Replicated.ModelSchema<Letter>(
          fields: ["subject"], make: _$make, keyPaths: _$keyPaths, visit: _$visit)

        private init(_$restoring: Void) {
          _subject = StarlingModel._Replicated.Field(StarlingModel._Replicated.empty())
        }

        private static func _$make() -> Letter {
          Letter(_$restoring: ())
        }

        private static func _$keyPaths() -> [PartialKeyPath<Letter>] {
          [\.subject]
        }

        private static func _$visit(_ model: Letter, _ field: Int, _ visitor: inout StarlingModel._Replicated.FieldVisitor) {
          switch field {
          case 0:
            visitor.visitValue(model._subject)
          default:
            break
          }
        }
      }

      extension Letter: nonisolated StarlingModel.ReplicatedModel, nonisolated Observation.Observable {}
      """#)
  }

  @Test func `a class whose initializer may assign one property before another`() {
    expectExpansion(
      #"""
      @Replicated final class Letter {
        @Local var subject = Subject()
        @Local var size: Int
        init(_ subject: Subject) {
          self.subject = subject
          size = 0
        }
      }
      """#,
      #"""
      final class Letter {
        var subject {
        @storageRestrictions(accesses: _subject, _$model)
        init(initialValue) {
          _subject.initialize(initialValue, _$model)
        }
        get {
          _$model.get(_subject, 0, self)
        }
        set {
          _$model.set(_subject, 0, self, newValue, StarlingModel._Replicated.local(_subject))
        }
        _modify {
          var edit = _$model.edit(_subject)
          defer {
            _$model.finish(edit, _subject, 0, self, StarlingModel._Replicated.local(_subject))
          }
          yield &edit.value
        }
        }

        private let _subject = StarlingModel._Replicated.Field(Subject())
        var size: Int {
        @storageRestrictions(initializes: _size)
        init(initialValue) {
          _size = StarlingModel._Replicated.Field(initialValue)
        }
        get {
          _$model.read(_size, 1, self)
        }
        set {
          _$model.setLocal(_size, 1, self, newValue)
        }
        _modify {
          var edit = _$model.edit(_size)
          defer {
            _$model.finishLocal(edit, _size, 1, self)
          }
          yield &edit.value
        }
        }

        private let _size: StarlingModel._Replicated.Field<Int>
        init(_ subject: Subject) {
          self.subject = subject
          size = 0
        }

        nonisolated let _$model = StarlingModel._Replicated.ModelState()

        nonisolated static let _$schema = StarlingModel._Replicated.ModelSchema<Letter>(
          fields: [nil, nil], make: _$make, keyPaths: _$keyPaths, visit: _$visit)

        private init(_$restoring: Void) {
          _size = StarlingModel._Replicated.Field(StarlingModel._Replicated.empty())
        }

        private static func _$make() -> Letter {
          Letter(_$restoring: ())
        }

        private static func _$keyPaths() -> [PartialKeyPath<Letter>] {
          [\.subject, \.size]
        }

        private static func _$visit(_ model: Letter, _ field: Int, _ visitor: inout StarlingModel._Replicated.FieldVisitor) {
          switch field {
          default:
            break
          }
        }
      }

      extension Letter: nonisolated StarlingModel.ReplicatedModel, nonisolated Observation.Observable {}
      """#)
  }

  @Test func `a class whose properties all have defaults, with an initializer`() {
    expectExpansion(
      #"""
      @Replicated final class Letter {
        var subject = ""
        @ReplicatedIgnored var draft: String?
        init(_ subject: String) { self.subject = subject }
      }
      """#,
      #"""
      final class Letter {
        var subject {
        get {
          _$model.read(_subject, 0, self)
        }
        set {
          _$model.setValue(_subject, 0, self, newValue)
        }
        _modify {
          var edit = _$model.edit(_subject)
          defer {
            _$model.finishValue(edit, _subject, 0, self)
          }
          yield &edit.value
        }
        }

        private let _subject = StarlingModel._Replicated.Field("")
        var draft: String?
        init(_ subject: String) { self.subject = subject }

        nonisolated let _$model = StarlingModel._Replicated.ModelState()

        nonisolated static let _$schema = StarlingModel._Replicated.ModelSchema<Letter>(
          fields: ["subject"], make: _$make, keyPaths: _$keyPaths, visit: _$visit)

        private init(_$restoring: Void) {}

        private static func _$make() -> Letter {
          Letter(_$restoring: ())
        }

        private static func _$keyPaths() -> [PartialKeyPath<Letter>] {
          [\.subject]
        }

        private static func _$visit(_ model: Letter, _ field: Int, _ visitor: inout StarlingModel._Replicated.FieldVisitor) {
          switch field {
          case 0:
            visitor.visitValue(model._subject)
          default:
            break
          }
        }
      }

      extension Letter: nonisolated StarlingModel.ReplicatedModel, nonisolated Observation.Observable {}
      """#)
  }

  @Test func `a class on the main actor`() {
    expectExpansion(
      #"""
      @MainActor @Replicated final class Screen {
        weak var owner: Owner?
        lazy var cache = 1
        @AppStorage("size") var size = 4
      }
      """#,
      #"""
      @MainActor final class Screen {
        weak var owner: Owner? {
        @storageRestrictions(initializes: _owner)
        init(initialValue) {
          _owner = initialValue
        }
        get {
          _$model.get(_owner, countedBy: owner_writes, 0, self)
        }
        set {
          _owner = newValue
          _$model.set(owner_writes, 0, self, _$model.peek(owner_writes) &+ 1, StarlingModel._Replicated.local(owner_writes))
        }
        }

        private weak var _owner: Owner?

        private let owner_writes = StarlingModel._Replicated.Field(0)
        lazy var cache = 1
        @AppStorage("size") var size = 4

        nonisolated let _$model = StarlingModel._Replicated.ModelState()

        nonisolated static let _$schema = StarlingModel._Replicated.ModelSchema<Screen>(
          fields: [nil], make: _$make, keyPaths: _$keyPaths, visit: _$visit)

        private static func _$make() -> Screen {
          Screen()
        }

        init() {}

        private static func _$keyPaths() -> [PartialKeyPath<Screen>] {
          [\.owner]
        }

        private static func _$visit(_ model: Screen, _ field: Int, _ visitor: inout StarlingModel._Replicated.FieldVisitor) {
          switch field {
          default:
            break
          }
        }
      }

      extension Screen: nonisolated StarlingModel.ReplicatedModel, nonisolated Observation.Observable {}
      """#)
  }

  @Test func `a private class without properties`() {
    expectExpansion(
      #"""
      @Replicated private final class Empty {
      }
      """#,
      #"""
      private final class Empty {

        fileprivate nonisolated let _$model = StarlingModel._Replicated.ModelState()

        fileprivate nonisolated static let _$schema = StarlingModel._Replicated.ModelSchema<Empty>(
          fields: [], make: _$make, keyPaths: _$keyPaths, visit: _$visit)

        private static func _$make() -> Empty {
          Empty()
        }

        init() {}

        private static func _$keyPaths() -> [PartialKeyPath<Empty>] {
          []
        }

        private static func _$visit(_ model: Empty, _ field: Int, _ visitor: inout StarlingModel._Replicated.FieldVisitor) {
          switch field {
          default:
            break
          }
        }
      }

      extension Empty: nonisolated StarlingModel.ReplicatedModel, nonisolated Observation.Observable {}
      """#)
  }
}
