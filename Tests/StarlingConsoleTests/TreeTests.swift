import StarlingCore
import StarlingEngine
import StarlingReplica
import Testing

@testable import StarlingConsole

/// A document that stands alone.
func bareDocument(_ text: String = "{}", replica: UInt64 = 1) throws -> JSONDocument {
  let handle = DocumentHandle(id: DocumentID("test")!, replica: ReplicaID(rawValue: replica)) { 1_000_000 }
  let document = JSONDocument(handle)
  try document.load(JSONValue(parsing: text))
  return document
}

extension JSONDocument {
  func contents(of window: TreeWindow) -> WindowContents? {
    handle.read { DocumentTree(copy $0).contents(of: window) }
  }

  /// The window of what a row of another holds.
  func window(of name: String, in outer: TreeWindow = TreeWindow()) throws -> TreeWindow {
    let row = try #require(contents(of: outer)?.rows.first { $0.name == name })
    let container = try #require(row.container)
    return TreeWindow(
      container: container, outer: DocumentTree.Slot(key: row.key, object: outer.container.object))
  }
}

@Suite struct `A window of the tree` {
  @Test func `shows keys in their order, with kinds and who wrote them`() throws {
    let document = try bareDocument(#"{"title": "Dune", "isOpen": true, "chapters": ["One"], "desk": {"a": 1}}"#)
    try document.set(7, at: DocumentPath("visits")!, as: .counter)
    try document.set("Once", at: DocumentPath("blurb")!, as: .text)
    let contents = try #require(document.contents(of: TreeWindow()))
    #expect(contents.total == 6)
    #expect(contents.rows.map(\.name) == ["blurb", "chapters", "desk", "isOpen", "title", "visits"])
    #expect(contents.rows.map(\.kind) == ["text", "list", "map", "bool", "string", "counter"])
    #expect(contents.rows.map(\.text) == ["Once", "", "", "true", "Dune", "7"])
    #expect(contents.rows.map(\.count) == [4, 1, 1, nil, nil, nil])
    #expect(contents.rows[4].writer == ReplicaID(rawValue: 1))
    #expect(contents.rows[4].milliseconds == 1_000_000)
    #expect(contents.rows[5].writer == nil, "Many write a counter.")
  }

  @Test func `shows a part of a large container, and no more than it may`() throws {
    let members = (0..<1000).map { "\"k\(String($0 + 1000))\": \($0)" }.joined(separator: ", ")
    let document = try bareDocument("{\(members)}")
    var window = TreeWindow()
    window.count = 10_000
    #expect(document.contents(of: window)?.rows.count == TreeWindow.countMax)
    window.from = 990
    #expect(document.contents(of: window)?.rows.map(\.text).first == "990")
    #expect(document.contents(of: window)?.rows.count == 10)
    window.from = 5000
    #expect(document.contents(of: window) == WindowContents(total: 1000))
    window.from = 0
    window.prefix = "k199"
    #expect(document.contents(of: window)?.total == 10)
  }

  @Test func `shows elements of a list by what they are, not by where they stand`() throws {
    let document = try bareDocument(#"{"list": ["a", "b", "c"]}"#)
    let window = try document.window(of: "list")
    let former = try #require(document.contents(of: window))
    try document.load(JSONValue(parsing: #"{"list": ["new", "a", "b", "c"]}"#))
    let later = try #require(document.contents(of: window))
    #expect(later.rows.map(\.name) == ["0", "1", "2", "3"])
    #expect(later.rows.dropFirst().map(\.key) == former.rows.map(\.key))
  }

  @Test func `shows nothing once its container has gone`() throws {
    let document = try bareDocument(#"{"desk": {"a": 1}}"#)
    let window = try document.window(of: "desk")
    #expect(document.contents(of: window)?.total == 1)
    try document.remove(at: DocumentPath("desk")!)
    #expect(document.contents(of: window) == nil)
  }

  @Test func `shows the beginning of a long value`() throws {
    let document = try bareDocument("{\"long\": \"\(String(repeating: "x", count: 5000))\"}")
    let row = try #require(document.contents(of: TreeWindow())?.rows.first)
    #expect(row.isCut)
    #expect(row.text.count == TreeRow.textCountMax)
  }

  @Test func `tells a page what differs from what it was sent, and nothing else`() throws {
    let document = try bareDocument(#"{"a": 1, "b": 2}"#)
    let former = try #require(document.contents(of: TreeWindow()))
    #expect(former.update(from: former) == nil)
    #expect(former.update(from: nil)?["keys"] == ["n:a", "n:b"])
    try document.set(3, at: DocumentPath("b")!)
    let later = try #require(document.contents(of: TreeWindow()))
    let update = try #require(later.update(from: former))
    #expect(update["keys"] == nil)
    #expect(update["rows"]?["n:a"] == nil)
    #expect(update["rows"]?["n:b"]?["text"] == "3")
    try document.remove(at: DocumentPath("a")!)
    let last = try #require(document.contents(of: TreeWindow()))
    #expect(last.update(from: later)?["keys"] == ["n:b"])
  }

  @Test(arguments: [
    Key.name("a:b/ü"), .integer(-7), .bytes([0, 255]), .element(Dot(ReplicaID(rawValue: 0xF00), 12)), .name(""),
  ])
  func `names keys so that they are read back`(_ key: Key) {
    #expect(Key(text: key.text) == key)
  }

  @Test(arguments: ["", "x:1", "i:one", "b:*", "e:1", "e:zz:1"]) func `refuses what names no key`(_ text: String) {
    #expect(Key(text: text) == nil)
  }

  @Test func `names objects so that they are read back`() {
    #expect(ObjectID(text: ObjectID.root.text) == .root)
    #expect(ObjectID(text: "12") == nil)
  }
}

@Suite struct `An edit by identity` {
  private func slot(_ key: Key, _ window: TreeWindow = TreeWindow()) -> SlotAddress {
    SlotAddress(container: window.container, outer: window.outer, key: key)
  }

  @Test func `finds its element although others came before it`() throws {
    let document = try bareDocument(#"{"list": ["a", "b"]}"#)
    let window = try document.window(of: "list")
    let key = try #require(document.contents(of: window)?.rows[1].key)
    try document.load(JSONValue(parsing: #"{"list": ["new", "a", "b"]}"#))
    try document.set("B", at: slot(key, window))
    #expect(try document.value() == JSONValue(parsing: #"{"list": ["new", "a", "B"]}"#))
    try document.remove(at: slot(key, window))
    #expect(try document.value() == JSONValue(parsing: #"{"list": ["new", "a"]}"#))
    #expect(throws: JSONDocumentError.self, "It is gone.") { try document.set("C", at: slot(key, window)) }
    #expect(throws: JSONDocumentError.self) { try document.remove(at: slot(key, window)) }
  }

  @Test func `writes into a map that holds nothing yet, and not into one that is gone`() throws {
    let document = try bareDocument(#"{"desk": {}}"#)
    let window = try document.window(of: "desk")
    try document.set("Ada", at: slot(.name("owner"), window))
    #expect(try document.value() == JSONValue(parsing: #"{"desk": {"owner": "Ada"}}"#))
    try document.remove(at: DocumentPath("desk")!)
    #expect(throws: JSONDocumentError.self) { try document.set("Ben", at: slot(.name("owner"), window)) }
    #expect(try document.value() == [:])
  }

  @Test func `keeps the kind of what is there`() throws {
    let document = try bareDocument()
    try document.set(7, at: DocumentPath("visits")!, as: .counter)
    try document.set(9, at: slot(.name("visits")))
    #expect(document.contents(of: TreeWindow())?.rows.map(\.kind) == ["counter"])
    #expect(throws: JSONDocumentError.self) { try document.set("many", at: slot(.name("visits"))) }
    #expect(try document.value() == ["visits": 9])
  }
}
