import Testing

extension Rule {
  /// What a protocol asks for is documented where it asks; tools show that for what does it too.
  static let publicSymbolsAreDocumented = Rule("what applications call is documented") { house in
    let files = house.swiftFiles.filter { $0.path.hasPrefix("Sources/") }.map { ($0, Declaration.all(in: $0)) }
    let witnesses = Witnesses(files.map(\.1))
    return files.filter { file, _ in documented.contains { file.path.hasPrefix("Sources/\($0)/") } }.flatMap {
      file, declarations in
      let lines = Set(file.tokens.map(\.line))
      return declarations.filter { declaration in
        let above = declaration.line - 1
        return declaration.isPublic(in: declarations) && !declaration.modifiers.contains("override")
          && !(file.comments[above]?.hasPrefix("///") == true && !lines.contains(above))
          && !witnesses.contains(declaration, ownedBy: declaration.owner.map { declarations[$0] })
      }.map {
        Finding(
          path: file.path, line: $0.line, what: "`\($0.name)` is public, and no comment says what it is for",
          remedy: "Say it in `///`, with units and errors; or make it internal where nobody outside uses it")
      }
    }
  }

  private static let documented = [
    "StarlingEngine", "StarlingReplica", "StarlingGraph", "StarlingModel", "StarlingTerminal", "StarlingView",
    "Starling",
  ]
}

extension Declaration {
  /// Whether users of the module see it, as what it stands in says it too.
  fileprivate func isPublic(in declarations: [Declaration]) -> Bool {
    guard kind != .extension else { return false }
    if !modifiers.isDisjoint(with: ["public", "open"]) { return true }
    guard let owner = owner.map({ declarations[$0] }) else { return false }
    switch owner.kind {
    case .protocol: return owner.isPublic(in: declarations)
    case .enum: return kind == .case && owner.isPublic(in: declarations)
    case .extension: return owner.modifiers.contains("public") && modifiers.isDisjoint(with: Self.narrower)
    default: return false
    }
  }

  private static let narrower: Set = ["package", "internal", "fileprivate", "private"]
}

/// What types must have because of the protocols to which they conform.
private struct Witnesses {
  private var requirements = Self.standard
  private var conformances: [String: Set<String>] = [:]

  init(_ files: [[Declaration]]) {
    for declarations in files {
      for declaration in declarations {
        if declaration.kind.hasMembers {
          conformances[declaration.name, default: []].formUnion(declaration.conformances)
        }
        if let owner = declaration.owner, declarations[owner].kind == .protocol, declaration.isPublic(in: declarations)
        {
          requirements[declarations[owner].name, default: []].insert(declaration.name)
        }
      }
    }
  }

  func contains(_ declaration: Declaration, ownedBy owner: Declaration?) -> Bool {
    guard let owner, owner.kind != .protocol else { return false }
    var (seen, next) = (Set<String>(), [owner.name])
    while let type = next.popLast() {
      guard seen.insert(type).inserted else { continue }
      if requirements[type]?.contains(declaration.name) == true { return true }
      next += conformances[type] ?? []
    }
    return false
  }

  private static let collection: Set = [
    "startIndex", "endIndex", "index(after:)", "index(before:)", "indices", "Index", "Indices", "SubSequence",
    "Element",
    "Iterator", "makeIterator()",
  ]

  /// What the standard library's protocols ask for, as far as it is the same in every type.
  private static let standard: [String: Set<String>] = [
    "Equatable": ["=="], "Hashable": ["==", "hash(into:)"], "Comparable": ["==", "<"],
    "CustomStringConvertible": ["description"], "CustomDebugStringConvertible": ["debugDescription"],
    "Encodable": ["encode(to:)"], "Decodable": ["init(from:)"], "Codable": ["encode(to:)", "init(from:)"],
    "RawRepresentable": ["rawValue", "init(rawValue:)"], "OptionSet": ["rawValue", "init(rawValue:)"],
    "AdditiveArithmetic": ["zero", "+", "-"],
    "Sequence": ["Element", "Iterator", "makeIterator()"], "IteratorProtocol": ["Element", "next()"],
    "AsyncSequence": ["Element", "AsyncIterator", "makeAsyncIterator()"],
    "AsyncIteratorProtocol": ["Element", "next()", "next(isolation:)"],
    "Collection": collection, "MutableCollection": collection, "BidirectionalCollection": collection,
    "RandomAccessCollection": collection,
    "SerialExecutor": ["enqueue(_:)", "asUnownedSerialExecutor()"], "TaskExecutor": ["enqueue(_:)"],
    "ExpressibleByArrayLiteral": ["init(arrayLiteral:)"], "ExpressibleByNilLiteral": ["init(nilLiteral:)"],
    "ExpressibleByDictionaryLiteral": ["init(dictionaryLiteral:)"],
    "ExpressibleByIntegerLiteral": ["init(integerLiteral:)"], "ExpressibleByFloatLiteral": ["init(floatLiteral:)"],
    "ExpressibleByBooleanLiteral": ["init(booleanLiteral:)"], "ExpressibleByStringLiteral": ["init(stringLiteral:)"],
    "ExpressibleByStringInterpolation": ["init(stringLiteral:)", "init(stringInterpolation:)"],
  ]
}

@Suite struct `The rule of documentation` {
  private func findings(_ text: String, at path: String = "Sources/StarlingModel/A.swift") -> [Int] {
    Rule.publicSymbolsAreDocumented.check(House([path: text])).map(\.line)
  }

  @Test(arguments: [
    "public struct A {}", "open class A {}", "@frozen\npublic enum A {}", "public func a(_ b: Int) -> Int { b }",
    "extension A {\n  @inlinable static public var b: Int { 1 }\n}", "public let a = { var b = 1; return b }()",
    "/// A.\npublic protocol A {\n  func b()\n}", "/// A.\npublic enum A {\n  case b\n}",
    "let a = 1 /// No.\npublic var b = 2",
    "public extension A {\n  func b() {}\n}", "extension A: Hashable {\n  public func hash(of b: Int) {}\n}",
    "// A.\npublic typealias A = B", "/// Of nobody.\n\npublic class A {}",
    "public static func < (a: A, b: A) -> Bool { true }",
  ])
  func `refuses what nobody documented`(_ text: String) {
    #expect(findings(text).count == 1)
    #expect(findings(text, at: "Sources/Other/A.swift") == [])
  }

  @Test(arguments: [
    "/// A.\npublic struct A {\n  var b = 1\n}", "/// A.\n@available(\n  *, deprecated)\n@frozen public struct A {}",
    "struct A {\n  package func b() { let c = 1 }\n}", "enum A {\n  case b\n}",
    "/// A.\npublic func a() {\n  struct B { public var c = 1 }\n}",
    "/// A.\npublic var a: Int { switch b { case .c: 1 } }",
    "extension A: B<C>, Hashable {\n  public func hash(into hasher: inout Hasher) {}\n}",
    "class A: B {\n  public override func c() {}\n}", "public extension A {\n  private func b() {}\n}",
    "extension A: Comparable {\n  public static func < (a: A, b: A) -> Bool { true }\n}",
    "/// A.\npublic private(set) var a = A.init()",
  ])
  func `accepts what is documented, not public, or asked for by a protocol of the language`(_ text: String) {
    #expect(findings(text) == [])
  }

  @Test func `takes the words of a protocol for what conforms to it, and no others`() {
    let asked = "/// A.\npublic protocol A {\n  /// B.\n  func b(of c: [Int], @D e: Int)\n}\nprotocol F: A {}\n"
    let done = "struct G<H: I>: F where H: J {\n  public func b(of d: [Int], @D e: Int) {}\n"
    #expect(findings(asked + done + "}") == [])
    #expect(findings(asked + done + "  public func b(in d: [Int], @D e: Int) {}\n}") == [9])
    #expect(findings(done + "}") == [2])
    #expect(findings(asked + "extension A {\n  public func b(of d: [Int], @D e: Int) {}\n}") == [])
  }
}
