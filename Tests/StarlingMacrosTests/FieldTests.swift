import Testing

@Suite struct `A property` {
  @Test func `with a default and no type`() {
    expectField(
      #"""
      var title = "x"
      """#,
      #"""
      final class Book {
        var title {
          @storageRestrictions(accesses: _title, _$model)
          init(initialValue) {
            _title.initialize(initialValue, _$model)
          }
          get {
            _$model.get(_title, 0, self)
          }
          set {
            _$model.set(_title, 0, self, newValue, StarlingModel.coding(_title))
          }
          _modify {
            var edit = _$model.edit(_title)
            defer {
              _$model.finish(edit, _title, 0, self, StarlingModel.coding(_title))
            }
            yield &edit.value
          }
        }

        private let _title = StarlingModel.Field("x")
      }
      """#)
  }

  @Test func `with a type and a default`() {
    expectField(
      #"""
      var tags: Set<String> = []
      """#,
      #"""
      final class Book {
        var tags: Set<String> {
          @storageRestrictions(accesses: _tags, _$model)
          init(initialValue) {
            _tags.initialize(initialValue, _$model)
          }
          get {
            _$model.get(_tags, 0, self)
          }
          set {
            _$model.set(_tags, 0, self, newValue, StarlingModel.coding(_tags))
          }
          _modify {
            var edit = _$model.edit(_tags)
            defer {
              _$model.finish(edit, _tags, 0, self, StarlingModel.coding(_tags))
            }
            yield &edit.value
          }
        }

        private let _tags = StarlingModel.Field<Set<String>>([])
      }
      """#)
  }

  @Test func `with a type and no default`() {
    expectField(
      #"""
      var title: String
      """#,
      #"""
      final class Book {
        var title: String {
          @storageRestrictions(initializes: _title)
          init(initialValue) {
            _title = StarlingModel.Field(initialValue)
          }
          get {
            _$model.get(_title, 0, self)
          }
          set {
            _$model.set(_title, 0, self, newValue, StarlingModel.coding(_title))
          }
          _modify {
            var edit = _$model.edit(_title)
            defer {
              _$model.finish(edit, _title, 0, self, StarlingModel.coding(_title))
            }
            yield &edit.value
          }
        }

        private let _title: StarlingModel.Field<String>
      }
      """#)
  }

  @Test func `that is optional`() {
    expectField(
      #"""
      var subtitle: String?
      """#,
      #"""
      final class Book {
        var subtitle: String? {
          @storageRestrictions(accesses: _subtitle, _$model)
          init(initialValue) {
            _subtitle.initialize(initialValue, _$model)
          }
          get {
            _$model.get(_subtitle, 0, self)
          }
          set {
            _$model.set(_subtitle, 0, self, newValue, StarlingModel.coding(_subtitle))
          }
          _modify {
            var edit = _$model.edit(_subtitle)
            defer {
              _$model.finish(edit, _subtitle, 0, self, StarlingModel.coding(_subtitle))
            }
            yield &edit.value
          }
        }

        private let _subtitle = StarlingModel.Field<String?>(nil)
      }
      """#)
  }

  @Test func `that is public with a private setter`() {
    expectField(
      #"""
      public private(set) var pages = 0
      """#,
      #"""
      final class Book {
        public private(set) var pages {
          @storageRestrictions(accesses: _pages, _$model)
          init(initialValue) {
            _pages.initialize(initialValue, _$model)
          }
          get {
            _$model.get(_pages, 0, self)
          }
          set {
            _$model.set(_pages, 0, self, newValue, StarlingModel.coding(_pages))
          }
          _modify {
            var edit = _$model.edit(_pages)
            defer {
              _$model.finish(edit, _pages, 0, self, StarlingModel.coding(_pages))
            }
            yield &edit.value
          }
        }

        private let _pages = StarlingModel.Field(0)
      }
      """#)
  }

  @Test func `that stays here`() {
    expectField(
      #"""
      @Local var isExpanded = false
      """#,
      #"""
      final class Book {
        var isExpanded {
          @storageRestrictions(accesses: _isExpanded, _$model)
          init(initialValue) {
            _isExpanded.initialize(initialValue, _$model)
          }
          get {
            _$model.get(_isExpanded, 0, self)
          }
          set {
            _$model.set(_isExpanded, 0, self, newValue, StarlingModel.local(_isExpanded))
          }
          _modify {
            var edit = _$model.edit(_isExpanded)
            defer {
              _$model.finish(edit, _isExpanded, 0, self, StarlingModel.local(_isExpanded))
            }
            yield &edit.value
          }
        }

        private let _isExpanded = StarlingModel.Field(false)
      }
      """#)
  }

  @Test func `with observers`() {
    expectField(
      #"""
      var width = 1 {
          willSet {
            print(newValue)
          }
          didSet {
            print(oldValue)
          }
        }
      """#,
      #"""
      final class Book {
        var width {
          willSet {
            print(newValue)
          }
          didSet {
            print(oldValue)
          }
          @storageRestrictions(accesses: _width, _$model)
          init(initialValue) {
            _width.initialize(initialValue, _$model)
          }

          get {
            _$model.get(_width, 0, self)
          }

          set {
            _$model.observing(0) {
              _width_willSet(newValue)
            }
            let oldValue = _$model.peek(_width)
            _$model.set(_width, 0, self, newValue, StarlingModel.coding(_width))
            _$model.observing(0) {
              _width_didSet(oldValue)
            }
          }
        }

        private let _width = StarlingModel.Field(1)

        private func _width_willSet(_ newValue: Int) {
          print(newValue)
        }

        private func _width_didSet(_ oldValue: Int) {
          print(oldValue)
        }
      }
      """#)
  }

  @Test func `with an observer that names nothing`() {
    expectField(
      #"""
      var width: Width = .wide {
          didSet {
            recount()
          }
        }
      """#,
      #"""
      final class Book {
        var width: Width {
          didSet {
            recount()
          }
          @storageRestrictions(accesses: _width, _$model)
          init(initialValue) {
            _width.initialize(initialValue, _$model)
          }

          get {
            _$model.get(_width, 0, self)
          }

          set {
            _$model.set(_width, 0, self, newValue, StarlingModel.coding(_width))
            _$model.observing(0) {
              _width_didSet()
            }
          }
        }

        private let _width = StarlingModel.Field<Width>(.wide)

        private func _width_didSet() {
          recount()
        }
      }
      """#)
  }

  @Test func `with an observer that names its parameter`() {
    expectField(
      #"""
      var width = 1 {
          didSet(before) {
            print(before)
          }
        }
      """#,
      #"""
      final class Book {
        var width {
          didSet(before) {
            print(before)
          }
          @storageRestrictions(accesses: _width, _$model)
          init(initialValue) {
            _width.initialize(initialValue, _$model)
          }

          get {
            _$model.get(_width, 0, self)
          }

          set {
            let oldValue = _$model.peek(_width)
            _$model.set(_width, 0, self, newValue, StarlingModel.coding(_width))
            _$model.observing(0) {
              _width_didSet(oldValue)
            }
          }
        }

        private let _width = StarlingModel.Field(1)

        private func _width_didSet(_ before: Int) {
          print(before)
        }
      }
      """#)
  }

  @Test func `that is weak`() {
    expectField(
      #"""
      weak var owner: Owner?
      """#,
      #"""
      final class Book {
        weak var owner: Owner? {
          @storageRestrictions(initializes: _owner)
          init(initialValue) {
            _owner = initialValue
          }
          get {
            _$model.get(_owner, countedBy: _owner_writes, 0, self)
          }
          set {
            _owner = newValue
            _$model.set(_owner_writes, 0, self, _$model.peek(_owner_writes) &+ 1, StarlingModel.local(_owner_writes))
          }
        }

        private weak var _owner: Owner?

        private let _owner_writes = StarlingModel.Field(0)
      }
      """#)
  }

  @Test func `that is nonisolated`() {
    expectField(
      #"""
      nonisolated var title = "x"
      """#,
      #"""
      final class Book {
        nonisolated var title {
          @storageRestrictions(accesses: _title, _$model)
          init(initialValue) {
            _title.initialize(initialValue, _$model)
          }
          get {
            _$model.get(_title, 0, self)
          }
          set {
            _$model.set(_title, 0, self, newValue, StarlingModel.coding(_title))
          }
          _modify {
            var edit = _$model.edit(_title)
            defer {
              _$model.finish(edit, _title, 0, self, StarlingModel.coding(_title))
            }
            yield &edit.value
          }
        }

        nonisolated private let _title = StarlingModel.Field("x")
      }
      """#)
  }

  @Test func `with a keyword for a name`() {
    expectField(
      #"""
      var `default` = 1
      """#,
      #"""
      final class Book {
        var `default` {
          @storageRestrictions(accesses: _default, _$model)
          init(initialValue) {
            _default.initialize(initialValue, _$model)
          }
          get {
            _$model.get(_default, 0, self)
          }
          set {
            _$model.set(_default, 0, self, newValue, StarlingModel.coding(_default))
          }
          _modify {
            var edit = _$model.edit(_default)
            defer {
              _$model.finish(edit, _default, 0, self, StarlingModel.coding(_default))
            }
            yield &edit.value
          }
        }

        private let _default = StarlingModel.Field(1)
      }
      """#)
  }

  @Test func `that is a counter`() {
    expectField(
      #"""
      var copies: ReplicatedCounter = 0
      """#,
      #"""
      final class Book {
        var copies: ReplicatedCounter {
          @storageRestrictions(accesses: _copies, _$model)
          init(initialValue) {
            _copies.initialize(initialValue, _$model)
          }
          get {
            _$model.get(_copies, 0, self)
          }
          set {
            _$model.set(_copies, 0, self, newValue, StarlingModel.coding(_copies))
          }
          _modify {
            var edit = _$model.edit(_copies)
            defer {
              _$model.finish(edit, _copies, 0, self, StarlingModel.coding(_copies))
            }
            yield &edit.value
          }
        }

        private let _copies = StarlingModel.Field<ReplicatedCounter>(0)
      }
      """#)
  }
}
