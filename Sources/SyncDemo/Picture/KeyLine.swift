import StarlingView

/// What the keys do, at the foot of the screen; or the title that is being written.
struct KeyLine: View {
  let screen: Screen
  let columns: Int

  var body: some View {
    if screen.draft != nil {
      DraftLine(screen: screen)
    } else {
      let words = KeyWords(columns: columns)
      HStack(spacing: words == .all ? 16 : 8) {
        switch screen.picture.lead {
        case .acts: ActKeys(screen: screen, words: words)
        case .keys: HandKeys(screen: screen, words: words)
        case .ending: Text("Bringing all together …").foregroundStyle(.secondary)
        }
      }
      .buttonStyle(.plain)
    }
  }
}

/// While the acts lead.
private struct ActKeys: View {
  let screen: Screen
  let words: KeyWords

  var body: some View {
    Button(words == .none ? "␣" : "space goes on") { screen.ask(.next) }.keyboardShortcut(.space, modifiers: [])
      .disabled(!screen.picture.isWaiting)
    Button(words == .none ? "t" : "t takes over") { screen.ask(.toggleActs) }.keyboardShortcut("t", modifiers: [])
    Button(words == .none ? "q" : "q quits") { screen.ask(.quit) }.keyboardShortcut("q", modifiers: [])
  }
}

/// While the person leads: what can be done to the selected process stands first.
private struct HandKeys: View {
  let screen: Screen
  let words: KeyWords

  var body: some View {
    let state = screen.picture.selectedPane.state
    Choosing(screen: screen, words: words)
    switch state {
    case .online: key("c", "cut", HandCommand.cut)
    case .cutOff: key("h", "heal", HandCommand.heal)
    default: EmptyView()
    }
    if state.isRunning {
      key("k", "kill", HandCommand.kill)
      key("e", "edit", isMain: true) { screen.beginDraft() }
      key("+", "copies") { screen.ask(HandCommand.addCopies) }
      if screen.picture.selectedPane.sight.titles.count > 1 { key("s", "settle", HandCommand.settle) }
    } else {
      key("r", "restart", HandCommand.restart).disabled(state != .killed)
    }
    key("b", screen.picture.isBusy ? "calm" : "busy") { screen.ask(.toggleBusy) }
    key("t", "acts") { screen.ask(.toggleActs) }
    key("q", "quit", isMain: true) { screen.ask(.quit) }
  }

  private func key(_ key: Character, _ word: String, _ command: @escaping (String) -> HandCommand) -> some View {
    self.key(key, word, isMain: true) { screen.ask(command) }
  }

  /// - Parameter isMain: Whether it keeps its word where not all words have space.
  private func key(
    _ key: Character, _ word: String, isMain: Bool = false, _ action: @escaping @MainActor () -> Void
  ) -> some View {
    Button(words == .all || (words == .some && isMain) ? "\(key) \(word)" : "\(key)", action: action)
      .keyboardShortcut(KeyEquivalent(key), modifiers: [])
  }
}

/// How many of the keys have space for what they do.
private enum KeyWords {
  case all
  case some
  case none

  init(columns: Int) { self = columns >= 78 ? .all : columns >= 44 ? .some : .none }
}

/// Arrows choose a process; so do digits and the mouse, in the panes.
private struct Choosing: View {
  let screen: Screen
  let words: KeyWords

  var body: some View {
    HStack(spacing: 0) {
      Text("←").onTapGesture { screen.select(by: -1) }.keyboardShortcut(.leftArrow, modifiers: [])
      Text(words == .all ? "→ choose" : "→").onTapGesture { screen.select(by: 1) }
        .keyboardShortcut(.rightArrow, modifiers: [])
    }
  }
}

/// A title that is written by hand.
private struct DraftLine: View {
  let screen: Screen
  @FocusState private var isFocused: Bool

  var body: some View {
    HStack {
      TextField("\(screen.picture.selectedPane.name)'s title", text: draft)
        .focused($isFocused)
        .onSubmit { screen.submitDraft() }
        .frame(width: 44 * 8)
      Text("Return writes it").foregroundStyle(.secondary)
      Text("Esc leaves it").foregroundStyle(.secondary)
        .onTapGesture { screen.draft = nil }.keyboardShortcut(.cancelAction)
    }
    .onAppear { isFocused = true }
  }

  private var draft: Binding<String> {
    Binding(get: { screen.draft ?? "" }, set: { screen.draft = $0 })
  }
}
