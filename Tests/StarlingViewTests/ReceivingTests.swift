import Foundation
import StarlingTerminal
import StarlingView
import Testing

private struct Clock: View {
  @State private var ticks = 0
  @State private var heard: [Int] = []
  @State private var isShown = true
  let subject: PassthroughSubject<Int, Never>
  private let timer = Timer.publish(every: 1, on: .main, in: .common).autoconnect()

  init(subject: PassthroughSubject<Int, Never>) {
    self.subject = subject
  }

  var body: some View {
    Text("\(ticks) \(heard)")
    if isShown {
      Text("Here")
        .onReceive(timer) { _ in ticks += 1 }
        .onReceive(subject.filter { $0 > 1 }.map { $0 * 10 }) { heard.append($0) }
    }
    Button("Hide") { isShown = false }
  }
}

@MainActor @Suite struct `What a view hears` {
  @Test func `comes by the host's clock and from subjects, while the view is there`() throws {
    let subject = PassthroughSubject<Int, Never>()
    let host = HeadlessHost { Clock(subject: subject) }
    host.advance(by: .milliseconds(2500))
    for number in 1...3 { subject.send(number) }
    #expect(host.text[0] == "2 [20, 30]")
    host.advance(by: .milliseconds(500))
    #expect(host.text[0] == "3 [20, 30]")
    try host.tap("Hide")
    #expect(host.text.count == 2)
    host.advance(by: .seconds(5))
    subject.send(9)
    #expect(host.text[0] == "3 [20, 30]")
  }

  @Test func `is a property of an object, without what is the same`() {
    final class Object: ObservableObject {
      @Published var name = "a"
    }
    let object = Object()
    var heard: [String] = []
    let subscription = object.$name.removeDuplicates().dropFirst().sink { heard.append($0) }
    for name in ["a", "b", "b", "c"] { object.name = name }
    #expect(heard == ["b", "c"])
    subscription.cancel()
  }
}

private struct Phased: View {
  @Environment(\.scenePhase) private var phase
  @State private var seen: [String] = []

  var body: some View {
    Text("\(phase)").onChange(of: phase) { seen.append("\($0)>\($1)") }
    Text(seen.joined(separator: " "))
  }
}

@MainActor @Suite struct `The phase of a scene` {
  @Test func `changes as the host says`() {
    let host = HeadlessHost { Phased() }
    host.scenePhase = .inactive
    #expect(host.text[0] == "inactive")
    host.scenePhase = .background
    #expect(host.text[1] == "active>inactive inactive>background")
  }

  @Test func `follows the terminal's window`() {
    let screen = Screenshots(columns: 50) { Phased() }
    #expect(screen.lines[0] == "active")
    screen.host.receive(.focus(false))
    #expect(screen.lines[0] == "inactive")
    screen.host.receive(.focus(true))
    #expect(screen.lines[1] == "active>inactive inactive>active")
  }
}

private struct Mover: View {
  @State private var offset = 0.0
  @State private var note = "still"

  var body: some View {
    Text(note).offset(x: offset)
    Button("Move") {
      withAnimation(.linear(duration: 1)) {
        offset += 80
        note = "moving"
      } completion: {
        note = "arrived"
      }
    }
    Button("Nothing") {
      withAnimation {
      } completion: {
        note = "done"
      }
    }
  }
}

@MainActor @Suite struct `The completion of an animation` {
  @Test func `is called when what moves has arrived`() async throws {
    let host = HeadlessHost { Mover() }
    try host.tap("Move")
    #expect(host.text[0] == "moving")
    host.advance(by: .milliseconds(900))
    #expect(host.text[0] == "moving")
    host.advance(by: .milliseconds(200))
    #expect(host.text[0] == "arrived")
  }

  @Test func `is called where nothing moves`() async throws {
    let host = HeadlessHost { Mover() }
    try host.tap("Nothing")
    #expect(host.text[0] == "done")
  }
}
