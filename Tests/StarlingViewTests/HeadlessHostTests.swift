import StarlingModelTestSupport
import StarlingView
import Testing

@Replicated @MainActor final class Lamp {
  var name = "Desk"
  var isOn = false
  var watts = 40
}

private struct LampView: View {
  let lamp: Lamp

  var body: some View {
    VStack {
      Text(lamp.name)
      Switch(lamp: lamp)
      if lamp.isOn { Text("Bright") }
    }
  }
}

private struct Switch: View {
  @Bindable var lamp: Lamp

  var body: some View {
    Toggle("Light", isOn: $lamp.isOn)
    TextField("Name", text: $lamp.name)
  }
}

@MainActor @Suite struct `A headless host` {
  private let lamp = Lamp()
  private let host: HeadlessHost

  init() {
    let lamp = lamp
    host = HeadlessHost { LampView(lamp: lamp) }
  }

  @Test func `shows what a person would read`() {
    #expect(host.text == ["Desk", "[ ] Light", "Name: Desk"])
  }

  @Test func `taps and types through bindings`() throws {
    try host.tap("Light")
    try host.type("Bed", into: "Name")
    #expect(lamp.isOn)
    #expect(host.text == ["Bed", "[x] Light", "Name: Bed", "Bright"])
  }

  @Test func `evaluates a body only for what it read`() {
    #expect(host.evaluations(of: LampView.self) == 1)
    lamp.watts = 60
    #expect(host.evaluations(of: LampView.self) == 1)
    lamp.isOn = true
    #expect(host.evaluations(of: LampView.self) == 2)
    lamp.isOn = true
    #expect(host.evaluations(of: LampView.self) == 2)
  }

  @Test func `names the labels there are when one is unknown`() {
    let error = #expect(throws: HeadlessHostError.self) { try host.tap("Sun") }
    #expect(error?.labels == ["Light"])
  }
}
