import StarlingView
import Testing

private struct LoginForm: View {
  enum Field: Hashable {
    case username
    case password
  }

  @State private var username = ""
  @State private var password = ""
  @FocusState private var focusedField: Field?
  let diary: Diary

  var body: some View {
    Form {
      TextField("Username", text: $username)
        .focused($focusedField, equals: .username)

      SecureField("Password", text: $password)
        .focused($focusedField, equals: .password)

      Button("Sign In") {
        if username.isEmpty {
          focusedField = .username
        } else if password.isEmpty {
          focusedField = .password
        } else {
          handleLogin(username, password)
        }
      }
    }
  }

  private func handleLogin(_ username: String, _ password: String) {
    diary.note("\(username) signed in")
  }
}

/// Right: one view under two values.
private struct OneView: View {
  enum Field: Hashable {
    case name
    case fullName
  }

  @FocusState private var focusedField: Field?

  var body: some View {
    TextField("Full Name", text: .constant(""))
      .focused($focusedField, equals: .name)
      .focused($focusedField, equals: .fullName)
    Button("By the one") { focusedField = .name }
    Button("By the other") { focusedField = .fullName }
  }
}

/// Wrong: two views under one value.
private struct TwoViews: View {
  enum Field: Hashable {
    case name
  }

  @FocusState private var focusedField: Field?

  var body: some View {
    TextField("First", text: .constant("")).focused($focusedField, equals: .name)
    TextField("Second", text: .constant("")).focused($focusedField, equals: .name)
    Text(focusedField == .name ? "Focused" : "Not focused")
    Button("Focus") { focusedField = .name }
  }
}

@MainActor @Suite struct `A form to sign in` {
  @Test func `row 191: leads to the field that is empty`() throws {
    let diary = Diary()
    let host = HeadlessHost { LoginForm(diary: diary) }
    try host.tap("Sign In")
    #expect(host.focused == "Username")
    try host.type("maria", into: "Username")
    try host.tap("Sign In")
    #expect(host.focused == "Password")
    try host.type("secret", into: "Password")
    #expect(host.text == ["Username: maria", "Password: ••••••", "Sign In"])
    try host.tap("Sign In")
    #expect(diary.entries == ["maria signed in"])
  }

  @Test func `row 192: may name a field twice, but not two fields alike`() throws {
    let right = HeadlessHost { OneView() }
    try right.tap("By the other")
    #expect(right.focused == "Full Name")
    #expect(right.diagnostics.isEmpty)

    let wrong = HeadlessHost { TwoViews() }
    try wrong.focus("Second")
    #expect(wrong.text.contains("Focused"))
    try wrong.focus(nil)
    #expect(wrong.text.contains("Not focused"))
    try wrong.tap("Focus")
    #expect(wrong.focused == "First")
    #expect(wrong.diagnostics.map(\.kind) == [.ambiguousFocus])
  }
}
