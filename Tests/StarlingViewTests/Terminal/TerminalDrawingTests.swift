import StarlingTerminal
import StarlingView
import Testing

@MainActor @Suite struct `A terminal` {
  @Test func `draws controls so that one sees what they are and have`() {
    let screen = Screenshots(rows: 12) {
      Text("Text")
      Button("Save") {}
      Toggle("On", isOn: .constant(true))
      Toggle("Off", isOn: .constant(false))
      TextField("Title", text: .constant("Dune")).frame(width: 160)
      SecureField("Secret", text: .constant("abc")).frame(width: 160)
      Stepper("Copies: 3", value: .constant(3))
      Slider(value: .constant(0.5)) { Text("Volume") }
      Picker("Shelf", selection: .constant(2)) {
        Text("One").tag(1)
        Text("Two").tag(2)
      }
      ProgressView("Loading", value: 0.25)
      ProgressView("Waiting")
    }
    #expect(
      screen.lines == [
        "Text", "[ Save ]", "[x] On", "[ ] Off", "Title: [Dune       ]", "Secret: [•••       ]", "Copies: 3 [-] [+]",
        "Volume: [████████░░░░░░░░] 0.5", "Shelf: [ Two ▾ ]", "Loading █████░░░░░░░░░░░░░ 25%", "Waiting …",
      ])
  }

  @Test func `arranges stacks, spacers, dividers, padding, frames and borders`() {
    let screen = Screenshots(columns: 20, rows: 9) {
      HStack {
        Text("left")
        Spacer()
        Text("right")
      }
      Divider()
      VStack(alignment: .trailing) {
        Text("abc")
        Text("d")
      }
      Text("in").padding(.leading, 16).border(.blue)
      Text("mid").frame(maxWidth: .infinity)
    }
    #expect(
      screen.lines == [
        "left           right", "────────────────────", "abc", "  d", "┌────┐", "│  in│", "└────┘", "        mid",
      ])
    #expect(screen.style(of: "┌")?.foreground == .indexed(4))
  }

  @Test func `puts what is over on top, and hides what is hidden`() {
    let screen = Screenshots(columns: 10, rows: 3) {
      ZStack {
        Text("aaaaa")
        Text("b")
      }
      HStack(spacing: 0) {
        Text("x").hidden()
        Text("y")
      }
    }
    #expect(screen.lines == ["aabaa", " y"])
  }

  @Test func `has styles and colours`() {
    let screen = Screenshots {
      Text("bold").bold()
      Text("italic").italic()
      Text("red").foregroundStyle(.red)
      Text("faint").foregroundStyle(.secondary)
      Text("own").foregroundStyle(Color(red: 1, green: 0.5, blue: 0))
      Text("behind").background(.yellow)
      Text("one ") + Text("two").underline()
      Group { Text("inner") }.foregroundStyle(.green)
    }
    #expect(screen.style(of: "bold")?.attributes == .bold)
    #expect(screen.style(of: "italic")?.attributes == .italic)
    #expect(screen.style(of: "red")?.foreground == .indexed(1))
    #expect(screen.style(of: "faint")?.attributes == .dim)
    #expect(screen.style(of: "own")?.foreground == .rgb(red: 255, green: 128, blue: 0))
    #expect(screen.style(of: "behind")?.background == .indexed(3))
    #expect(screen.style(of: "one")?.attributes == [] && screen.style(of: "two")?.attributes == .underlined)
    #expect(screen.style(of: "inner")?.foreground == .indexed(2))
  }

  @Test func `wraps and cuts off where it is narrow`() {
    var screen = Screenshots(columns: 12, rows: 8) {
      Text("the quick brown fox")
      Text("the quick brown fox").lineLimit(1)
      Button("A long label") {}
    }
    #expect(screen.lines == ["the quick", "brown fox", "the quick b…", "[ A long… ]"])
    screen.columns = 40
    #expect(screen.lines == ["the quick brown fox", "the quick brown fox", "[ A long label ]"])
    screen.columns = 1
    #expect(screen.lines.count == 8)
  }

  @Test func `shows sections of forms and lists apart`() {
    let screen = Screenshots(rows: 9) {
      Form {
        Section("One") { Text("a") }
        Section {
          Text("b")
        } header: {
          Text("Two")
        } footer: {
          Text("end")
        }
      }
    }
    #expect(screen.lines == ["One", "  a", "", "Two", "  b", "end"])
    #expect(screen.style(of: "Two")?.attributes == .bold && screen.style(of: "end")?.attributes == .dim)
  }

  @Test func `lets no text control it`() {
    let screen = Screenshots(columns: 24, rows: 3) {
      Text("\u{1B}[2J\u{9B}31m\u{202E}abc\u{7}")
      TextField("", text: .constant("\u{1B}]0;x\u{7}"))
    }
    #expect(screen.lines.first == "␛[2J\u{FFFD}31mabc␇")
    let bytes = FrameDifference(for: TerminalTraits()).bytes(from: nil, to: screen.canvas)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(!text.contains("\u{1B}[2J\u{9B}") && !text.contains("\u{7}") && !text.contains("\u{1B}]"))
  }

  @Test func `draws the same again where nothing changed`() {
    let screen = Screenshots { Toggle("On", isOn: .constant(true)) }
    #expect(screen.canvas == screen.canvas)
  }

  @Test func `shows what moves on its way`() {
    struct Moving: View {
      @State private var isWide = false
      var body: some View {
        Button("Go") { withAnimation(.linear(duration: 1)) { isWide = true } }
        Text("ab").frame(width: isWide ? 160 : 80, alignment: .trailing)
      }
    }
    let screen = Screenshots(rows: 2) { Moving() }
    #expect(screen.lines == ["[ Go ]", "        ab"])
    screen.press(.tab)
    screen.press(.enter)
    screen.host.tree.advance(by: .milliseconds(500))
    #expect(screen.lines[1] == "             ab")
    screen.host.tree.advance(by: .milliseconds(500))
    #expect(screen.lines[1] == "                  ab")
    #expect(!screen.host.tree.isAnimating)
  }
}
