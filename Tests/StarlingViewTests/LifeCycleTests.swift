import StarlingModelTestSupport
import StarlingView
import Testing

private struct Tasked: View {
  let diary: Diary
  let tick: Int

  var body: some View {
    Text("tick \(tick)")
      .task {
        diary.note("began")
        await withTaskCancellationHandler {
          await Forever.wait()
        } onCancel: {
          Task { @MainActor in diary.note("cancelled") }
        }
      }
      .onAppear { diary.note("appeared") }
      .onDisappear { diary.note("disappeared") }
  }
}

/// Waits until the task is cancelled.
private enum Forever {
  static func wait() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    for await _ in stream {}
    continuation.finish()
  }
}

private struct Tasking: View {
  @State private var tick = 0
  @State private var isShown = true
  let diary: Diary

  var body: some View {
    if isShown { Tasked(diary: diary, tick: tick) }
    Button("Tick") { tick += 1 }
    Button("Show") { isShown.toggle() }
  }
}

private struct Loading: View {
  @State private var id = 1
  let diary: Diary

  var body: some View {
    Button("Next") { id += 1 }
      .task(id: id) { diary.note("loaded \(id)") }
  }
}

@MainActor @Suite struct `A task of a view` {
  @Test func `row 143: runs once for an appearance, and is cancelled with it`() async throws {
    let diary = Diary()
    let host = HeadlessHost { Tasking(diary: diary) }
    for _ in 0..<10 { try host.tap("Tick") }
    await host.settle()
    #expect(diary.entries == ["appeared", "began"])
    try host.tap("Show")
    await host.settle()
    #expect(Set(diary.entries.dropFirst(2)) == ["disappeared", "cancelled"])
    try host.tap("Show")
    await host.settle()
    #expect(diary.entries.suffix(2) == ["appeared", "began"])
  }

  @Test func `row 143: begins again with another id`() async throws {
    let diary = Diary()
    let host = HeadlessHost { Loading(diary: diary) }
    await host.settle()
    try host.tap("Next")
    await host.settle()
    #expect(diary.entries == ["loaded 1", "loaded 2"])
  }
}

private struct Watching: View {
  let number: Int
  let diary: Diary

  var body: some View {
    Text("\(number)")
      .onChange(of: number) { old, new in diary.note("\(old) to \(new)") }
      .onChange(of: number) { diary.note("changed") }
      .onChange(of: number, initial: true) { old, new in diary.note("initially \(old) to \(new)") }
  }
}

private struct Watched: View {
  @State private var number = 1
  @State private var other = 0
  let diary: Diary

  var body: some View {
    Watching(number: number, diary: diary)
    Text("\(other)")
    Button("Twice") {
      withTransaction {
        number += 1
        number += 1
      }
    }
    Button("There and back") {
      withTransaction {
        number += 1
        number -= 1
      }
    }
    Button("Other") { other += 1 }
  }
}

private struct WatchingPerson: View {
  let person: Person
  let diary: Diary

  var body: some View {
    Text("person").onChange(of: person.age) { old, new in diary.note("\(old) to \(new)") }
  }
}

@MainActor @Suite struct `A change` {
  @Test func `row 144, 145: is told once a transaction, from what was before it`() throws {
    let diary = Diary()
    let host = HeadlessHost { Watched(diary: diary) }
    #expect(diary.entries == ["initially 1 to 1"])
    try host.tap("Twice")
    _ = host.text
    #expect(Set(diary.entries.dropFirst()) == ["1 to 3", "changed", "initially 1 to 3"])
    #expect(diary.entries.count == 4)
    try host.tap("There and back")
    try host.tap("Other")
    _ = host.text
    #expect(diary.entries.count == 4)
  }

  @Test(arguments: Writer.all) func `row 144: is told whoever writes`(_ writer: Writer) async throws {
    let (desk, diary) = (try Desk(Person.self), Diary())
    let host = HeadlessHost { WatchingPerson(person: desk.model, diary: diary) }
    _ = host.text
    try await desk.write(by: writer) { person in
      withTransaction {
        person.age = 31
        person.age = 32
      }
    }
    _ = host.text
    #expect(diary.entries == ["30 to 32"])
  }
}

private struct Settled: View, Equatable {
  let number: Int
  let ignored: () -> Void

  nonisolated static func == (left: Settled, right: Settled) -> Bool { left.number == right.number }

  var body: some View { Text("settled \(number)") }
}

private struct Loose: View {
  let number: Int
  let action: () -> Void
  var body: some View { Text("loose \(number)") }
}

private struct Fields: View {
  let number: Int
  let object: Person
  let pair: (String, Int)
  let optional: Int?
  @Binding var bound: Int
  @State private var own = 0

  var body: some View { Text("fields \(number)") }
}

private struct Comparing: View {
  @State private var tick = 0
  @State private var bound = 0
  let person = Person()
  let stored: () -> Void = {}

  var body: some View {
    Settled(number: 1) { print(tick) }
    Loose(number: 1) { print(tick) }
    Loose(number: 1, action: stored)
    Fields(number: 1, object: person, pair: ("a", 1), optional: nil, bound: $bound)
    Button("Tick \(tick)") { tick += 1 }
  }
}

@MainActor @Suite struct `A view that is made again` {
  @Test func `row 155: is left alone where it is the same`() throws {
    let host = HeadlessHost { Comparing() }
    try host.tap("Tick 0")
    try host.tap("Tick 1")
    #expect(host.evaluations(of: Comparing.self) == 3)
    #expect(host.evaluations(of: Settled.self) == 1)
    #expect(host.evaluations(of: Fields.self) == 1)
    // One is handed a new closure each time, the other the very same.
    #expect(host.evaluations(of: Loose.self) == 4)
  }
}

private struct Writer1: View {
  @Binding var number: Int

  var body: some View {
    if number < 3 { number += 1 }
    return Text("\(number)")
  }
}

private struct WritesInBody: View {
  @State private var number = 0
  var body: some View { Writer1(number: $number) }
}

private struct NeverDone: View {
  @State private var number = 0

  var body: some View {
    number += 1
    return Text("endless")
  }
}

@MainActor @Suite struct `A write while a view is evaluated` {
  @Test func `row 156: waits until it is over, and is reported`() {
    let host = HeadlessHost { WritesInBody() }
    #expect(host.text == ["3"])
    #expect(host.diagnostics.map(\.kind) == [.writeDuringUpdate])
  }

  @Test func `row 156: that never ends is cut off`() {
    let host = HeadlessHost { NeverDone() }
    #expect(host.text == ["endless"])
    #expect(host.diagnostics.map(\.kind).contains(.cycle))
  }
}

private struct Doubled: DynamicProperty {
  @State private var stored = 1
  private(set) var updates = 0

  var value: Int {
    get { stored }
    nonmutating set { stored = newValue * 2 }
  }

  mutating func update() { updates += 1 }
}

private struct UsesOwnWrapper: View {
  private var doubled = Doubled()

  var body: some View {
    Text("\(doubled.value) \(doubled.updates)")
    Button("Write") { doubled.value = 5 }
  }
}

@MainActor @Suite struct `A dynamic property of one's own` {
  @Test func `is built from others and updated before the body`() throws {
    let host = HeadlessHost { UsesOwnWrapper() }
    #expect(host.text.first == "1 1")
    try host.tap("Write")
    #expect(host.text.first?.hasPrefix("10 ") == true)
  }
}
