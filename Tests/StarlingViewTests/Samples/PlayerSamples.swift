import StarlingView
import Testing

private struct Episode: Identifiable, Equatable {
  var id = 0
  var title = "Trailer"
  var showTitle = "A show"
  var isFavorite = false
}

private struct PlayButton: View {
  @Binding var isPlaying: Bool

  var body: some View {
    Button {
      isPlaying.toggle()
    } label: {
      Image(systemName: isPlaying ? "pause.circle" : "play.circle")
    }
  }
}

private struct PlayerView: View {
  let episode: Episode  // The queued episode.
  @State private var isPlaying: Bool = false

  var body: some View {
    VStack {
      // Display information about the episode.
      Text(episode.title)
      Text(episode.showTitle)
      PlayButton(isPlaying: $isPlaying)
    }
  }
}

private struct Queue: View {
  @State private var episode = Episode()

  var body: some View {
    PlayerView(episode: episode)
    Button("Next") { episode = Episode(id: 1, title: "Pilot") }
  }
}

private struct Podcaster: View {
  @State private var episode = Episode(title: "Some Episode", showTitle: "Great Show", isFavorite: false)

  var body: some View {
    VStack {
      Text(episode.title)
      Toggle("Favorite", isOn: $episode.isFavorite)  // Bind to the Boolean.
    }
  }
}

private struct Animated: View {
  @State private var isPlaying = false

  var body: some View {
    Button {
      withAnimation(.easeInOut(duration: 1)) {
        self.isPlaying.toggle()
      }
    } label: {
      Image(systemName: isPlaying ? "pause.circle" : "play.circle")
        .scaleEffect(isPlaying ? 1 : 1.5)
    }
    .background(isPlaying ? .green : .red)
  }
}

@MainActor @Suite struct `A player` {
  @Test func `row 171: keeps what it plays when the episode changes`() throws {
    let host = HeadlessHost { Queue() }
    try host.tap("play.circle")
    #expect(host.text == ["Trailer", "A show", "pause.circle", "Next"])
    try host.tap("Next")
    #expect(host.text == ["Pilot", "A show", "pause.circle", "Next"])
    #expect(host.evaluations(of: PlayButton.self) == 2)
  }

  @Test func `row 172: binds to one field of a struct`() throws {
    let host = HeadlessHost { Podcaster() }
    try host.toggle("Favorite")
    #expect(host.text == ["Some Episode", "[x] Favorite"])
  }

  @Test func `row 173: scales over a second and changes its picture at once`() throws {
    let host = HeadlessHost { Animated() }
    #expect(host.scale(of: "play.circle") == 1.5)
    try host.tap("play.circle")
    #expect(host.text == ["pause.circle"])
    #expect(host.scale(of: "pause.circle") == 1.5)
    host.advance(by: .milliseconds(500))
    #expect(abs(host.scale(of: "pause.circle") - 1.25) < 0.001)
    host.advance(by: .milliseconds(500))
    #expect(host.scale(of: "pause.circle") == 1)
  }
}

extension HeadlessHost {
  /// How large the picture of this name is drawn.
  func scale(of name: String) -> Double { style(ofImage: name)?.scale.width ?? 0 }

  func style(ofImage name: String) -> Style? {
    var found: Style?
    for element in tree.elements {
      element.forEach { element in
        if case .image(name) = element.kind { found = element.style }
      }
    }
    return found
  }
}
