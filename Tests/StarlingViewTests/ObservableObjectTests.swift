import StarlingView
import Testing

private final class Counter: ObservableObject {
  @Published var count = 0
  @Published var unread = 0
  let name: String

  init(_ name: String = "counter", _ inits: Count? = nil) {
    self.name = name
    inits?.up()
  }
}

/// With a publisher of its own, told by hand.
private final class Manual: ObservableObject {
  let objectWillChange = ObservableObjectPublisher()
  var value = 0 {
    willSet { objectWillChange.send() }
  }
}

@MainActor private final class Isolated: ObservableObject {
  @Published var count = 0
}

private final class Holder: ObservableObject {
  let inner = Counter()
  @Published var own = 0
}

@MainActor @Suite struct `A published property` {
  @Test func `row 83: tells before it changes`() {
    let counter = Counter()
    var seen: [Int] = []
    let subscription = counter.objectWillChange.sink { seen.append(counter.count) }
    counter.count = 5
    #expect(seen == [0])
    #expect(counter.count == 5)
    subscription.cancel()
    counter.count = 6
    #expect(seen == [0])
  }

  @Test func `row 84: tells once a write, and hands out its values`() {
    let counter = Counter()
    let told = Count()
    var values: [Int] = []
    var subscriptions: Set<AnyCancellable> = []
    counter.objectWillChange.sink { told.up() }.store(in: &subscriptions)
    counter.$count.sink { values.append($0) }.store(in: &subscriptions)
    counter.count = 1
    counter.count = 1
    counter.unread = 1
    #expect(told.value == 3)
    #expect(values == [0, 1, 1])
  }
}

private struct Owner: View {
  @StateObject private var counter: Counter
  let tick: Int

  init(tick: Int, name: String = "counter", inits: Count) {
    self.tick = tick
    _counter = StateObject(wrappedValue: Counter(name, inits))
  }

  var body: some View {
    Text("\(counter.name) \(counter.count) \(tick)")
    Button("Count") { counter.count += 1 }
  }
}

private struct Defeated: View {
  @StateObject private var counter: Counter
  let tick: Int

  init(tick: Int, inits: Count) {
    let counter = Counter("eager", inits)
    _counter = StateObject(wrappedValue: counter)
    self.tick = tick
  }

  var body: some View { Text("\(counter.count) \(tick)") }
}

private struct Parent: View {
  @State private var tick = 0
  @State private var identity = 0
  let inits: Count
  var isDefeated = false

  var body: some View {
    if isDefeated {
      Defeated(tick: tick, inits: inits)
    } else {
      Owner(tick: tick, name: "counter \(tick)", inits: inits).id(identity)
    }
    Button("Tick") { tick += 1 }
    Button("Identity") { identity += 1 }
  }
}

@MainActor @Suite struct `A state object` {
  @Test func `row 85, 86, 87: is made once for a place, and keeps what it was made with`() throws {
    let inits = Count()
    let host = HeadlessHost { Parent(inits: inits) }
    try host.tap("Count")
    for _ in 0..<100 { try host.tap("Tick") }
    #expect(host.text.first == "counter 0 1 100")
    #expect(inits.value == 1)
    try host.tap("Identity")
    #expect(host.text.first == "counter 100 0 100")
    #expect(inits.value == 2)
  }

  @Test func `row 88: is another one for each view`() {
    let host = HeadlessHost {
      Owner(tick: 0, name: "Ravi", inits: Count())
      Owner(tick: 0, name: "Maria", inits: Count())
    }
    #expect(host.text.filter { $0 != "Count" } == ["Ravi 0 0", "Maria 0 0"])
  }

  @Test func `row 89: is made in vain where it is assigned to a local first`() throws {
    let inits = Count()
    let host = HeadlessHost { Parent(inits: inits, isDefeated: true) }
    for _ in 0..<5 { try host.tap("Tick") }
    #expect(host.text.first == "0 5")
    #expect(inits.value == 6)
  }

  @Test func `row 90: is no parameter of its view`() {
    // `Owner` cannot be made with a counter: the property is private, its initializer takes names.
    #expect(HeadlessHost { Owner(tick: 0, inits: Count()) }.text.first == "counter 0 0")
  }
}

private struct Observing: View {
  @ObservedObject var counter: Counter

  var body: some View {
    Text("count \(counter.count)")
    Child(count: $counter.count)
  }
}

private struct Child: View {
  @Binding var count: Int
  var body: some View { Stepper("child \(count)", value: $count) }
}

private struct ObservingManual: View {
  @ObservedObject var manual: Manual
  var body: some View { Text("\(manual.value)") }
}

private struct ObservingIsolated: View {
  @ObservedObject var isolated: Isolated
  var body: some View { Text("\(isolated.count)") }
}

private struct Inline: View {
  @ObservedObject private var counter = Counter()
  let tick: Int

  var body: some View {
    Text("\(counter.count) \(tick)")
    Button("Count") { counter.count += 1 }
  }
}

private struct InlineParent: View {
  @State private var tick = 0

  var body: some View {
    Inline(tick: tick)
    Button("Tick") { tick += 1 }
  }
}

private struct ObservingHolder: View {
  @ObservedObject var holder: Holder

  var body: some View {
    Text("holder \(holder.inner.count)")
    ObservingInner(counter: holder.inner)
  }
}

private struct ObservingInner: View {
  @ObservedObject var counter: Counter
  var body: some View { Text("inner \(counter.count)") }
}

@MainActor @Suite struct `An observed object` {
  @Test func `row 91: evaluates its views whatever of it changed`() {
    let counter = Counter()
    let host = HeadlessHost { Observing(counter: counter) }
    counter.unread += 1
    #expect(host.evaluations(of: Observing.self) == 2)
    counter.count += 1
    #expect(host.text == ["count 1", "child 1"])
  }

  @Test func `row 91: is told by hand or from the main actor alike`() {
    let (manual, isolated) = (Manual(), Isolated())
    let host = HeadlessHost {
      ObservingManual(manual: manual)
      ObservingIsolated(isolated: isolated)
    }
    manual.value = 3
    isolated.count = 4
    #expect(host.text == ["3", "4"])
  }

  @Test func `row 92: made by its own view is lost each time, and that is said`() throws {
    let host = HeadlessHost { InlineParent() }
    try host.tap("Count")
    #expect(host.text.first == "1 0")
    try host.tap("Tick")
    #expect(host.text.first == "0 1")
    try host.tap("Tick")
    #expect(host.diagnostics.map(\.kind) == [.observedObjectRecreated])
  }

  @Test func `row 93: can be initialised by hand`() {
    let counter = Counter()
    #expect(ObservedObject(wrappedValue: counter).wrappedValue === counter)
    #expect(ObservedObject(initialValue: counter).wrappedValue === counter)
  }

  @Test func `row 94: gives bindings`() throws {
    let counter = Counter()
    let host = HeadlessHost { Observing(counter: counter) }
    try host.increment("child 0")
    #expect(counter.count == 1)
    #expect(host.text == ["count 1", "child 1"])
  }

  @Test func `row 99: does not follow the objects inside it`() {
    let holder = Holder()
    let host = HeadlessHost { ObservingHolder(holder: holder) }
    holder.inner.count = 1
    #expect(host.text == ["holder 0", "inner 1"])
    holder.own = 1
    #expect(host.text == ["holder 1", "inner 1"])
  }
}

private struct Injected: View {
  @EnvironmentObject private var counter: Counter

  var body: some View {
    Text("\(counter.name) \(counter.count)")
    Stepper("Step", value: $counter.count)
  }
}

private struct InjectedApp: App {
  @StateObject private var counter = Counter("app's")

  var body: some Scene {
    WindowGroup { Injected() }.environmentObject(counter)
  }
}

@MainActor @Suite struct `An environment object` {
  @Test func `row 96, 97: is the nearest one`() throws {
    let (outer, inner) = (Counter("outer"), Counter("inner"))
    let host = HeadlessHost {
      VStack {
        Injected()
        Injected().environmentObject(inner)
      }
      .environmentObject(outer)
    }
    #expect(host.text.filter { $0 != "Step" } == ["outer 0", "inner 0"])
    inner.count = 5
    #expect(host.text.filter { $0 != "Step" } == ["outer 0", "inner 5"])
    try host.increment("Step")
    #expect(outer.count == 1)
  }

  @Test func `row 97: can come from the scene`() {
    #expect(HeadlessHost(app: InjectedApp.self).text.first == "app's 0")
  }

  @Test func `row 98: that is missing is named, with the view that reads it`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await MainActor.run { _ = HeadlessHost { Injected() }.text }
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("Injected reads @EnvironmentObject Counter"))
  }
}
