import StarlingView
import Testing

private class DataModel: ObservableObject {
  @Published var name: String
  @Published var isEnabled = false

  init(name: String = "Some Name") {
    self.name = name
  }
}

private struct MyView: View {
  @StateObject private var model = DataModel()

  var body: some View {
    Text(model.name)
    MySubView(model: model)
    MyInjectedView().environmentObject(model)
  }
}

private struct MySubView: View {
  @ObservedObject var model: DataModel

  var body: some View {
    Toggle("Enabled", isOn: $model.isEnabled)
  }
}

private struct MyInjectedView: View {
  @EnvironmentObject private var model: DataModel

  var body: some View {
    Text(model.isEnabled ? "On" : "Off")
    TextField("Name", text: $model.name)
  }
}

private struct MyInitializableView: View {
  @StateObject private var model: DataModel

  init(name: String) {
    // The thunk runs once for each place that the view has.
    _model = StateObject(wrappedValue: DataModel(name: name))
  }

  var body: some View {
    VStack {
      Text("Name: \(model.name)")
    }
  }
}

@MainActor @Suite struct `An observable object` {
  @Test func `row 186: is owned, handed down and injected`() throws {
    let host = HeadlessHost { MyView() }
    #expect(host.text == ["Some Name", "[ ] Enabled", "Off", "Name: Some Name"])
    try host.toggle("Enabled")
    try host.type("Maria", into: "Name")
    #expect(host.text == ["Maria", "[x] Enabled", "On", "Name: Maria"])
  }

  @Test func `row 187: begins with the name it is handed first`() {
    let host = HeadlessHost {
      VStack {
        MyInitializableView(name: "Ravi")
        MyInitializableView(name: "Maria")
      }
    }
    #expect(host.text == ["Name: Ravi", "Name: Maria"])
  }

  @Test func `row 188: is toggled where it is observed`() throws {
    let model = DataModel()
    let host = HeadlessHost { MySubView(model: model) }
    try host.toggle("Enabled")
    #expect(model.isEnabled)
    #expect(host.text == ["[x] Enabled"])
  }
}
