import StarlingView
import Testing

/// Notes the node that it stands at, and all around it, without keeping them.
private struct Noted: PrimitiveView {
  let notes: Notes

  func compose(in node: Node) -> Composition {
    notes.add([node] + node.ancestors())
    return Composition()
  }
}

@MainActor private final class Notes {
  private struct Note {
    weak var node: Node?
    let type: String
  }

  private var notes: [UInt64: Note] = [:]

  func add(_ nodes: [Node]) {
    for node in nodes where notes[node.number] == nil {
      notes[node.number] = Note(node: node, type: "\(type(of: node))")
    }
  }

  var count: Int { notes.count }

  /// What is still there of what was noted, the outermost first.
  var remaining: [String] {
    notes.sorted { $0.key < $1.key }.filter { $0.value.node != nil }.map(\.value.type)
  }
}

private struct CountKey: PreferenceKey {
  static var defaultValue: Int { 0 }
  static func reduce(value: inout Int, nextValue: () -> Int) { value += nextValue() }
}

/// One of each, with something noted inside.
private struct Everything: View {
  @State private var isOn = true
  @State private var text = ""
  @State private var number = 1
  @State private var share = 0.5
  @State private var total = 0
  @FocusState private var isFocused: Bool
  let notes: Notes

  var body: some View {
    Form {
      Section("Controls") {
        Button {
        } label: {
          Noted(notes: notes)
        }
        Toggle(isOn: $isOn) { Noted(notes: notes) }
        TextField(text: $text) { Noted(notes: notes) }.focused($isFocused).defaultFocus($isFocused, true)
        Stepper(value: $number) { Noted(notes: notes) }
        Slider(value: $share)
        Picker(selection: $number) {
          Text("one").tag(1)
          Noted(notes: notes).tag(2)
        } label: {
          Noted(notes: notes)
        }
      }
    }
    TabView { Noted(notes: notes).tabItem { Noted(notes: notes) } }
    NavigationStack { List { NavigationLink("Next") { Noted(notes: notes) } } }
    ScrollViewReader { _ in ScrollView { ForEach(0..<3) { _ in Noted(notes: notes) } } }
    Noted(notes: notes).onTapGesture {}
    Noted(notes: notes).preference(key: CountKey.self, value: number).onPreferenceChange(CountKey.self) { total = $0 }
    Noted(notes: notes).onChange(of: number, initial: true) { total = number }
    Noted(notes: notes).onAppear { total = 1 }.onDisappear { total = 2 }.task { await Task.yield() }
    Noted(notes: notes).sheet(isPresented: $isOn) { Noted(notes: notes) }
    Noted(notes: notes).environment(\.font, nil).`disabled`(number == 7).scaleEffect(share)
    HStack { VStack { ZStack { Noted(notes: notes).overlay { Noted(notes: notes) } } } }
  }
}

private struct Leaving: View {
  @State private var isShown = true
  let notes: Notes

  var body: some View {
    Button("Leave") { isShown = false }
    if isShown { Everything(notes: notes) }
  }
}

@MainActor @Suite struct `What views leave behind` {
  @Test func `is nothing once they have gone, whatever stood in them`() async throws {
    let notes = Notes()
    let host = HeadlessHost {
      Leaving(notes: notes)
    }
    await host.settle()
    #expect(host.text.count > 5)
    #expect(notes.count > 50)
    try host.tap("Leave")
    await host.settle()
    #expect(host.text == ["Leave"])
    // Where they stood.
    #expect(
      notes.remaining == [
        "ViewNode<Leaving>", "ViewNode<TupleView<(Button<Text>, Optional<Everything>)>>",
        "ViewNode<Optional<Everything>>",
      ])
  }

  @Test func `is nothing once their host has gone`() async throws {
    let notes = Notes()
    var host: HeadlessHost? = HeadlessHost { Everything(notes: notes) }
    _ = host?.text
    await host?.settle()
    _ = host?.outline
    host = nil
    #expect(notes.count > 50)
    #expect(notes.remaining == [])
  }
}
