import Foundation
import StarlingReplica
import Testing

@Suite struct `JSON` {
  @Test(arguments: [
    "null", "true", "-1", "0", "9223372036854775807", "18446744073709551615", "-9223372036854775808", "1.5", "5.0",
    "1e+300", "\"\"", "\"a\\\"b\\\\c\\n\\t\\u0000\\u007f\"", "\"Füße 👩‍🚀\"", "[]", "{}", "[1,[2,[]],{\"a\":null}]",
    "{\"a\":{\"b\":[true,false]},\"z\":1}",
  ])
  func `is written as it was read`(_ text: String) throws {
    #expect(try JSONValue(parsing: text).description == text)
    #expect(try JSONValue(parsing: JSONValue(parsing: text).lines).description == text)
  }

  @Test(arguments: [
    (" \t\r\n[1 , 2 ]\n", "[1,2]"), ("{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}"),
    ("\"\\u00fc\\/\\ud83d\\ude00\"", "\"ü/😀\""),
    ("\u{FEFF}1", "1"), ("1E2", "100.0"), ("-0", "0"), ("-0.0", "-0.0"),
  ])
  func `has many spellings and is written in one`(_ text: String, _ canonical: String) throws {
    #expect(try JSONValue(parsing: text).description == canonical)
  }

  @Test(arguments: [
    ("", 1, 1, 0), ("{\n  \"a\": x\n}", 2, 8, 9), ("[1,]", 1, 4, 3), ("[1 2]", 1, 4, 3), ("{\"a\":1,\"a\":2}", 1, 8, 7),
    ("{a:1}", 1, 2, 1), ("01", 1, 1, 0), ("1.", 1, 3, 2), ("1e", 1, 3, 2), ("-", 1, 2, 1), ("1e999", 1, 1, 0),
    ("18446744073709551616", 1, 1, 0), ("\"a", 1, 1, 0), ("\"\n\"", 1, 2, 1), ("\"\\x\"", 1, 2, 1),
    ("\"\\ud800\"", 1, 2, 1), ("\"\\ud800\\u0041\"", 1, 2, 1), ("\"\\u12\"", 1, 2, 1), ("1 1", 1, 3, 2),
    ("[\"ü\", ?]", 1, 7, 7), ("nul", 1, 1, 0), ("]", 1, 1, 0), ("\"\\", 1, 2, 1),
  ])
  func `is refused with its place`(_ text: String, _ line: Int, _ column: Int, _ offset: Int) throws {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    #expect(error.map { [$0.line, $0.column, $0.offset] } == [line, column, offset], "\(String(describing: error))")
  }

  @Test func `that is not UTF-8 is refused`() throws {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: [0x5B, 0x22, 0xFF, 0x22, 0x5D] as [UInt8]) }
    #expect(error?.offset == 1)
  }

  @Test func `that nests without end is refused, not followed`() throws {
    let depth = 1_000_000
    #expect(throws: JSONError.self) { try JSONValue(parsing: String(repeating: "[", count: depth)) }
    #expect(throws: JSONError.self) { try JSONValue(parsing: String(repeating: "{\"a\":", count: depth)) }
    let most = String(repeating: "[", count: JSONValue.depthMax) + String(repeating: "]", count: JSONValue.depthMax)
    #expect(try JSONValue(parsing: most).description == most)
  }

  @Test func `tells spellings of one text apart by their bytes`() throws {
    #expect(try JSONValue(parsing: "\"\u{E9}\"") != JSONValue(parsing: "\"e\u{301}\""))
    #expect(try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2}").description == "{\"e\u{301}\":2,\"\u{E9}\":1}")
  }
}
