import StarlingTerminal

/// A field while a person may be typing into it.
///
/// A binding may refuse what was typed: a number's field takes no `1.` yet. What was typed then stays while the field
/// has the focus, until the binding says something new.
struct EditedField {
  var editor: LineEditor
  /// What the binding said last.
  private var known: String

  init(_ text: String) {
    editor = LineEditor(text)
    known = text
  }

  mutating func follow(_ text: String, isFocused: Bool) {
    if text != known || !isFocused { editor.replaceText(with: text) }
    known = text
  }
}
