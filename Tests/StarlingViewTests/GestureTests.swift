import Foundation
import StarlingTerminal
import StarlingView
import Testing

private struct Card: View {
  @GestureState private var offset = CGSize.zero
  @State private var last = ""
  @State private var presses = 0

  var body: some View {
    Text("Card")
      .gesture(
        DragGesture()
          .updating($offset) { value, offset, _ in offset = value.translation }
          .onEnded { last = "\(Int($0.translation.width))" })
    Text("At \(Int(offset.width)), last \(last), presses \(presses)")
    Text("Press").onLongPressGesture { presses += 1 }
    Text("Touch").gesture(TapGesture().onEnded { presses += 10 })
  }
}

@MainActor @Suite struct `A gesture` {
  private let host = HeadlessHost { Card() }

  @Test func `is known while it goes on, and forgotten when it is over`() throws {
    try host.drag("Card", width: 30, holding: true)
    #expect(host.text[1] == "At 30, last , presses 0")
    try host.drag("Card", width: 50)
    #expect(host.text[1] == "At 0, last 50, presses 0")
  }

  @Test func `is drawn with the mouse of a terminal`() {
    let screen = Screenshots(columns: 40) { Card() }
    _ = screen.lines
    let row = screen.lines.firstIndex { $0.contains("Card") } ?? 0
    func point(_ action: MouseReport.Action, _ column: Int) {
      screen.host.take(.mouse(MouseReport(action, at: CellPoint(column: column, row: row))))
      _ = screen.lines
    }
    point(.press(.left), 0)
    point(.drag(.left), 3)
    #expect(screen.lines.contains { $0.contains("At 24, last , presses 0") })
    point(.release(.left), 5)
    #expect(screen.lines.contains { $0.contains("At 0, last 40, presses 0") })
  }

  @Test func `is a tap or a long press`() throws {
    try host.longPress("Press")
    try host.tap("Touch")
    #expect(host.text[1] == "At 0, last , presses 11")
  }
}

private struct Keys: View {
  @State private var heard = ""
  @FocusState private var isFocused: Bool

  var body: some View {
    VStack {
      Button("Take") {}
        .onKeyPress("x") {
          heard += "x"
          return .handled
        }
        .onKeyPress(.upArrow) { .ignored }
      Button("Other") {}
    }
    .onKeyPress { press in
      heard += press.key == .upArrow ? "up" : ""
      return press.key == .upArrow ? .handled : .ignored
    }
    Text("Heard \(heard)")
  }
}

@MainActor @Suite struct `A key` {
  @Test func `is heard from what has the focus outwards, until something takes it`() throws {
    let host = HeadlessHost { Keys() }
    host.press(.character("x"))
    #expect(host.text.last == "Heard ")
    try host.focus("Take")
    host.press(.character("x"))
    host.press(.up)
    try host.focus("Other")
    host.press(.character("x"))
    #expect(host.text.last == "Heard xup")
  }

  @Test func `is heard in a terminal`() {
    let host = Screenshots { Keys() }
    host.press(Key(.tab))
    host.press(Key("x"))
    host.press(Key(.up))
    #expect(host.lines.joined(separator: "\n").contains("Heard xup"))
  }
}
