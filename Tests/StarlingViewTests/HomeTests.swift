import StarlingGraph
import StarlingTestSupport
import StarlingView
import Testing

@MainActor @Observable private final class Meter {
  var level = 0 { didSet { wasHome.append(MainActor.shared.isCurrent) } }
  private(set) var wasHome: [Bool] = []
}

/// Of the kind that says before it changes.
@MainActor private final class Gauge: ObservableObject {
  @Published var level = 0 { didSet { wasHome.append(MainActor.shared.isCurrent) } }
  private(set) var wasHome: [Bool] = []
}

private final class Taken {
  var bindings: [Binding<Int>] = []
}

private struct MeterView: View {
  @State private var inState: Meter
  @Bindable var bound: Meter
  @ObservedObject var observed: Gauge
  let taken: Taken

  init(_ inState: Meter, _ bound: Meter, _ observed: Gauge, _ taken: Taken) {
    _inState = State(initialValue: inState)
    self.bound = bound
    self.observed = observed
    self.taken = taken
  }

  var body: some View {
    taken.bindings = [$inState.level, $bound.level, $observed.level]
    return Text("\(inState.level) \(bound.level) \(observed.level)")
  }
}

@MainActor @Suite struct `A binding to a property of an object of the main actor` {
  @Test func `row 47: is written there, wherever it is used and however it was made`() async {
    let (inState, bound, observed, taken) = (Meter(), Meter(), Gauge(), Taken())
    let host = HeadlessHost { MeterView(inState, bound, observed, taken) }
    #expect(host.text == ["0 0 0"])
    let bindings = taken.bindings
    await Task.detached { for binding in bindings { binding.wrappedValue = 5 } }.value
    #expect(await Turns.pass { host.text == ["5 5 5"] })
    #expect(inState.wasHome == [true])
    #expect(bound.wasHome == [true])
    #expect(observed.wasHome == [true])
  }
}
