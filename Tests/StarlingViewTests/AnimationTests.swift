import StarlingView
import Testing

private struct Moving: View {
  @State private var isLarge = false
  @State private var number = 0.0

  var body: some View {
    VStack {
      Image(systemName: "star").scaleEffect(isLarge ? 2 : 1)
      Image(systemName: isLarge ? "sun" : "moon")
      Image(systemName: "plain").opacity(number)
    }
    .background(isLarge ? .green : .red)
    Button("Animate") { withAnimation(.linear(duration: 1)) { isLarge.toggle() } }
    Button("At once") { isLarge.toggle() }
    BoundToggle(isOn: $isLarge.animation(.linear(duration: 1)))
    Button("Both") {
      withAnimation(.linear(duration: 1)) { isLarge = true }
      number = 1
    }
  }
}

private struct BoundToggle: View {
  @Binding var isOn: Bool
  var body: some View { Toggle("Large", isOn: $isOn) }
}

private struct Limited: View {
  @State private var isLarge = false

  var body: some View {
    Image(systemName: "inside").scaleEffect(isLarge ? 2 : 1).animation(.linear(duration: 1), value: isLarge)
    Image(systemName: "beside").scaleEffect(isLarge ? 2 : 1)
    Image(systemName: "still").scaleEffect(isLarge ? 2 : 1)
      .transaction { $0.animation = nil }
    Button("Change") { isLarge.toggle() }
    Button("Animate") { withAnimation(.linear(duration: 1)) { isLarge.toggle() } }
  }
}

private struct Wobble: ViewModifier, @MainActor Animatable {
  var animatableData: Double

  func body(content: Content) -> some View { content.offset(x: animatableData) }
}

private struct Wobbling: View {
  @State private var way = 0.0

  var body: some View {
    Image(systemName: "star").modifier(Wobble(animatableData: way))
    Button("Go") { withAnimation(.easeInOut(duration: 2)) { way = 100 } }
  }
}

@MainActor @Suite struct `An animation` {
  @Test func `row 146: returns what its body does, and is one transaction`() {
    #expect(withAnimation(.easeIn) { 7 } == 7)
    #expect(withAnimation { Transaction.current.animation } == .default)
  }

  @Test func `row 147: moves a value along its curve as the clock goes on`() throws {
    let host = HeadlessHost { Moving() }
    try host.tap("Animate")
    #expect(host.scale(of: "star") == 1)
    for quarter in 1...4 {
      host.advance(by: .milliseconds(250))
      #expect(abs(host.scale(of: "star") - (1 + Double(quarter) / 4)) < 0.001)
    }
    #expect(!host.tree.isAnimating)
  }

  @Test func `row 147: turns round from where it is`() throws {
    let host = HeadlessHost { Moving() }
    try host.tap("Animate")
    host.advance(by: .milliseconds(500))
    try host.tap("Animate")
    host.advance(by: .milliseconds(500))
    #expect(abs(host.scale(of: "star") - 1.25) < 0.001)
    host.advance(by: .milliseconds(500))
    #expect(host.scale(of: "star") == 1)
  }

  @Test func `row 148: leaves what cannot move to change at once`() throws {
    let host = HeadlessHost { Moving() }
    try host.tap("Animate")
    #expect(host.text.contains("sun"))
    #expect(!host.text.contains("moon"))
  }

  @Test func `row 146: concerns the writes in it alone`() throws {
    let host = HeadlessHost { Moving() }
    try host.tap("At once")
    #expect(host.scale(of: "star") == 2)
    #expect(!host.tree.isAnimating)
  }

  @Test func `row 149, 151: is the same from a state and through a binding`() throws {
    let (state, binding) = (HeadlessHost { Moving() }, HeadlessHost { Moving() })
    try state.tap("Animate")
    try binding.toggle("Large")
    for host in [state, binding] {
      host.advance(by: .milliseconds(500))
      #expect(abs(host.scale(of: "star") - 1.5) < 0.001)
    }
  }

  @Test func `row 150: of a value is limited to its view`() throws {
    let host = HeadlessHost { Limited() }
    try host.tap("Change")
    host.advance(by: .milliseconds(500))
    #expect(abs(host.scale(of: "inside") - 1.5) < 0.001)
    #expect(host.scale(of: "beside") == 2)
    let other = HeadlessHost { Limited() }
    try other.tap("Animate")
    other.advance(by: .milliseconds(500))
    #expect(abs(other.scale(of: "beside") - 1.5) < 0.001)
    #expect(other.scale(of: "still") == 2)
  }

  @Test func `row 147: moves a modifier of one's own`() throws {
    let host = HeadlessHost { Wobbling() }
    try host.tap("Go")
    host.advance(by: .seconds(1))
    #expect(abs((host.style(ofImage: "star")?.offset.width ?? 0) - 50) < 0.01)
    host.advance(by: .seconds(2))
    #expect(host.style(ofImage: "star")?.offset.width == 100)
  }

  @Test func `follows curves, delays, speeds and repetitions`() {
    func progress(_ animation: Animation, _ seconds: Double) -> Double { animation.progress(after: .seconds(seconds)) }
    #expect(progress(.linear(duration: 2), 1) == 0.5)
    #expect(progress(.easeIn(duration: 1), 0.5) < 0.5)
    #expect(progress(.easeOut(duration: 1), 0.5) > 0.5)
    #expect(abs(progress(.easeInOut(duration: 1), 0.5) - 0.5) < 0.001)
    #expect(progress(.linear(duration: 1).delay(1), 1) == 0)
    #expect(progress(.linear(duration: 1).delay(1), 1.5) == 0.5)
    #expect(progress(.linear(duration: 1).speed(2), 0.25) == 0.5)
    #expect(progress(.linear(duration: 1).repeatCount(2), 1.25) == 0.75)
    #expect(progress(.linear(duration: 1).repeatForever(autoreverses: false), 100.25) == 0.25)
    #expect(progress(.spring(duration: 0.5, bounce: 0.4), 0.3) > 1)
    #expect(progress(.spring, 10) == 1)
  }
}
