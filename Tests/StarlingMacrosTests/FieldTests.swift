import Testing

@Suite struct `A property` {
  @Test func `with a default and no type`() {
    expectStandardField(
      #"var title = "x""#, declared: "var title",
      stored: #"private let _title = StarlingModel._Replicated.Field("x")"#, plain: "Value")
  }

  @Test func `with a type and a default`() {
    expectStandardField(
      "var tags: Set<String> = []", declared: "var tags: Set<String>",
      stored: "private let _tags = StarlingModel._Replicated.Field<Set<String>>([])", plain: "Members")
  }

  @Test func `that an initializer may assign`() {
    expectStandardField(
      "var pages = 0", declared: "var pages", stored: "private let _pages = StarlingModel._Replicated.Field(0)",
      plain: "Value",
      isAssigned: true)
  }

  @Test func `with a type and no default`() {
    expectStandardField(
      "var title: String", declared: "var title: String",
      stored: "private let _title: StarlingModel._Replicated.Field<String>", plain: "Value", isDefaulted: false)
  }

  @Test func `that is optional`() {
    expectStandardField(
      "var subtitle: String?", declared: "var subtitle: String?",
      stored: "private let _subtitle = StarlingModel._Replicated.Field<String?>(nil)", plain: "Value")
  }

  @Test func `that is public with a private setter`() {
    expectStandardField(
      "public private(set) var pages = 0", declared: "public private(set) var pages",
      stored: "private let _pages = StarlingModel._Replicated.Field(0)", plain: "Value")
  }

  @Test(arguments: [
    ("[Chapter]", "[]"), ("[String: Chapter]", "[:]"), ("[String]?", "nil"), ("Author", "Author()"), ("Author?", "nil"),
    ("ReplicatedText", "ReplicatedText()"), ("ReplicatedArray<String>", "[]"),
    ("ReplicatedReference<Author>", "nil"), ("ReplicatedRecord<User>", "ReplicatedRecord(User())"),
  ])
  func `of any type that replicates`(type: String, standard: String) {
    expectStandardField(
      "var part: \(type) = \(standard)", declared: "var part: \(type)",
      stored: "private let _part = StarlingModel._Replicated.Field<\(type)>(\(standard))")
  }

  @Test(arguments: [
    ("Bool", "false", "Value"), ("Double?", "nil", "Value"), ("Set<Int>", "[]", "Members"),
    ("[String]", "[]", "Elements"), ("[String: Int]", "[:]", "Entries"), ("[Int:Bool]", "[:]", "Entries"),
  ])
  func `of a type whose accessors call what is declared once`(type: String, standard: String, word: String) {
    expectStandardField(
      "var part: \(type) = \(standard)", declared: "var part: \(type)",
      stored: "private let _part = StarlingModel._Replicated.Field<\(type)>(\(standard))", plain: word)
  }

  @Test(arguments: ["private", "fileprivate", "package", "public", "open"])
  func `that is accessible as it says, whose storage is private`(access: String) {
    expectStandardField(
      "\(access) var pages = 0", declared: "\(access) var pages",
      stored: "private let _pages = StarlingModel._Replicated.Field(0)", plain: "Value")
  }

  @Test func `that stays here`() {
    expectStandardField(
      "@Local var isExpanded = false", declared: "var isExpanded",
      stored: "private let _isExpanded = StarlingModel._Replicated.Field(false)", plain: "Local")
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
          get {
            _$model.read(_width, 0, self)
          }
          set {
            _$model.observing(0) {
              width_willSet(newValue)
            }
            let oldValue = _$model.peek(_width)
            _$model.setValue(_width, 0, self, newValue)
            _$model.observing(0) {
              width_didSet(oldValue)
            }
          }
        }

        private let _width = StarlingModel._Replicated.Field(1)

        private func width_willSet(_ newValue: Int) {
        print(newValue)
        }

        private func width_didSet(_ oldValue: Int) {
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
          get {
            _$model.get(_width, 0, self)
          }
          set {
            _$model.set(_width, 0, self, newValue, StarlingModel._Replicated.coding(_width))
            _$model.observing(0) {
              width_didSet()
            }
          }
        }

        private let _width = StarlingModel._Replicated.Field<Width>(.wide)

        private func width_didSet() {
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
          get {
            _$model.read(_width, 0, self)
          }
          set {
            let oldValue = _$model.peek(_width)
            _$model.setValue(_width, 0, self, newValue)
            _$model.observing(0) {
              width_didSet(oldValue)
            }
          }
        }

        private let _width = StarlingModel._Replicated.Field(1)

        private func width_didSet(_ before: Int) {
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
          _$model.get(_owner, countedBy: owner_writes, 0, self)
        }
        set {
          _owner = newValue
          _$model.set(owner_writes, 0, self, _$model.peek(owner_writes) &+ 1, StarlingModel._Replicated.local(owner_writes))
        }
        }

        private weak var _owner: Owner?

        private let owner_writes = StarlingModel._Replicated.Field(0)
      }
      """#)
  }

  @Test func `that is nonisolated`() {
    expectStandardField(
      #"nonisolated var title = "x""#, declared: "nonisolated var title",
      stored: #"nonisolated private let _title = StarlingModel._Replicated.Field("x")"#, plain: "Value")
  }

  @Test func `with a keyword for a name`() {
    expectStandardField(
      "var `default` = 1", declared: "var `default`",
      stored: "private let _default = StarlingModel._Replicated.Field(1)", plain: "Value")
  }

  @Test func `that is a counter`() {
    expectStandardField(
      "var copies: ReplicatedCounter = 0", declared: "var copies: ReplicatedCounter",
      stored: "private let _copies = StarlingModel._Replicated.Field<ReplicatedCounter>(0)")
  }

  @Test func `whose default chooses`() {
    expectStandardField(
      "var width: Int = if isLarge { 2 } else { 1 }", declared: "var width: Int",
      stored: "private let _width = StarlingModel._Replicated.Field<Int>({ if isLarge { 2 } else { 1 } }())",
      plain: "Value")
  }

  @Test func `that stays here, of a type that its author made`() {
    expectStandardField(
      "@Local var width: Width = .wide", declared: "var width: Width",
      stored: "private let _width = StarlingModel._Replicated.Field<Width>(.wide)", coding: "local(_width)")
  }

  @Test func `that is deprecated, and so its storage`() {
    expectStandardField(
      "@available(*, deprecated) var width = 1", declared: "@available(*, deprecated) var width",
      stored: "@available(*, deprecated) private let _width = StarlingModel._Replicated.Field(1)", plain: "Value")
  }
}
