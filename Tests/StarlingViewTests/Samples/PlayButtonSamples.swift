import StarlingView
import Testing

/// A state that its view alone writes.
private struct PlayButton: View {
  @State private var isPlaying: Bool = false  // Create the state.

  var body: some View {
    Button(isPlaying ? "Pause" : "Play") {  // Read the state.
      isPlaying.toggle()  // Write the state.
    }
  }
}

private enum Bound {
  struct PlayButton: View {
    @Binding var isPlaying: Bool  // Play button now receives a binding.

    var body: some View {
      Button(isPlaying ? "Pause" : "Play") {
        isPlaying.toggle()
      }
    }
  }

  struct PlayerView: View {
    @State private var isPlaying: Bool = false  // Create the state here now.

    var body: some View {
      VStack {
        PlayButton(isPlaying: $isPlaying)  // Pass a binding.
      }
    }
  }
}

@MainActor @Suite struct `A play button` {
  @Test func `row 163: plays and pauses with a state of its own`() throws {
    let host = HeadlessHost { PlayButton() }
    #expect(host.text == ["Play"])
    try host.tap("Play")
    #expect(host.text == ["Pause"])
    #expect(host.evaluations(of: PlayButton.self) == 2)
    try host.tap("Pause")
    #expect(host.text == ["Play"])
  }

  @Test func `row 164: plays and pauses with a binding of its player's`() throws {
    let host = HeadlessHost { Bound.PlayerView() }
    try host.tap("Play")
    #expect(host.text == ["Pause"])
    #expect(host.evaluations(of: Bound.PlayButton.self) == 2)
    #expect(host.evaluations(of: Bound.PlayerView.self) == 1)
  }
}
