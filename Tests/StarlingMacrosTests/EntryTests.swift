import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite struct `An entry` {
  @Test func `row 110: keeps its default in a key of its own`() {
    expectExpansion(
      "extension EnvironmentValues {\n  @Entry var accentTheme: Theme = .default\n}",
      """
      extension EnvironmentValues {
        var accentTheme: Theme {
          get {
            self[Self._entry_accentTheme]
          }
          set {
            self[Self._entry_accentTheme] = newValue
          }
        }

        private static let _entry_accentTheme = StarlingView.EntryKey<Theme>(.default)
      }
      """)
  }

  @Test func `row 111: of an optional is nil where nothing else is said`() {
    expectExpansion(
      "extension FocusedValues {\n  @Entry var title: String?\n}",
      """
      extension FocusedValues {
        var title: String? {
          get {
            self[Self._entry_title]
          }
          set {
            self[Self._entry_title] = newValue
          }
        }

        private static let _entry_title = StarlingView.EntryKey<String?>(nil)
      }
      """)
  }

  @Test func `needs a default`() {
    expectExpansion(
      "extension EnvironmentValues {\n  @Entry var count: Int\n}",
      "extension EnvironmentValues {\n  var count: Int\n}",
      [
        DiagnosticSpec(
          message: "@Entry needs a default value: write '= …'", line: 2, column: 14,
          fixIts: [FixItSpec(message: "Give it a default")])
      ],
      applying: ["Give it a default"], "extension EnvironmentValues {\n  @Entry var count: Int = <#default#>\n}")
  }

  @Test(arguments: ["let count = 0", "var (width, height) = (0, 0)"])
  func `is refused on what is not one stored variable`(declaration: String) {
    expectExpansion(
      "extension EnvironmentValues {\n  @Entry \(declaration)\n}",
      "extension EnvironmentValues {\n  \(declaration)\n}",
      [
        DiagnosticSpec(
          message: "@Entry declares one stored 'var' with a name", line: 2, column: 3,
          fixIts: [FixItSpec(message: "Remove '@Entry'")])
      ],
      applying: ["Remove '@Entry'"], "extension EnvironmentValues {\n  \(declaration)\n}")
  }
}
