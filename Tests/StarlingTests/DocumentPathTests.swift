import Starling
import Testing

@Suite struct `A path` {
  @Test(arguments: [
    ("", []), ("a", ["a"]), ("/a", ["a"]), ("a/0/title", ["a", "0", "title"]), ("/", [""]), ("//", ["", ""]),
    ("a~1b/m~0n", ["a/b", "m~n"]), ("~01", ["~1"]), ("a/", ["a", ""]),
  ])
  func `has parts between slashes`(_ text: String, _ parts: [String]) throws {
    let path = try #require(DocumentPath(text))
    #expect(path.parts == parts)
    #expect(DocumentPath(path.pointer) == path)
    #expect(DocumentPath(path.description) == path)
  }

  @Test(arguments: ["~", "a~2", "~/a"]) func `needs 0 or 1 after a tilde`(_ text: String) {
    #expect(DocumentPath(text) == nil)
  }
}
