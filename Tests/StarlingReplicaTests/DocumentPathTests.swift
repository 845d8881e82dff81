import StarlingReplica
import Testing

@Suite struct `A path in a document` {
  @Test func `has parts that begin with any character, also one that joins the slash before it`() throws {
    for text in ["/\u{31E}key/\u{301}", "\u{31E}key/\u{301}"] {
      let path = try #require(DocumentPath(text))
      #expect(path.parts.map { Array($0.utf8) } == ["\u{31E}key", "\u{301}"].map { Array($0.utf8) })
      #expect(DocumentPath(path.description) == path)
      #expect(DocumentPath(path.pointer) == path)
    }
  }

  @Test func `is root, or has parts that may be empty`() {
    #expect(DocumentPath("") == .root)
    #expect(DocumentPath("/")?.parts == [""])
    #expect(DocumentPath("a//b/")?.parts == ["a", "", "b", ""])
    #expect(DocumentPath("a~1b/~0")?.parts == ["a/b", "~"])
    #expect(DocumentPath("a~2") == nil)
  }
}
