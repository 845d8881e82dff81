import StarlingModelTestSupport
import StarlingView
import Testing

private struct NameView: View {
  let person: Person
  var body: some View { Text(person.name) }
}

private struct Card: View {
  let person: Person
  var body: some View {
    if person.isMember { Text("\(person.age)") }
    Button("Read") { _ = person.age }
  }
}

@Observable private final class Inner {
  var value = 1
}

@Observable private final class Outer {
  var inner = Inner()
  var other = 0
}

private struct Nested: View {
  let outer: Outer
  var body: some View { Text("\(outer.inner.value)") }
}

/// What a body read makes it run, whoever wrote it: here, on another thread, at another replica, in another process.
@MainActor @Suite struct `A body` {
  @Test(arguments: Writer.all) func `row 8, 9: runs for what it read, and for nothing else`(
    _ writer: Writer
  ) async throws {
    let desk = try Desk(Person.self)
    let host = HeadlessHost { NameView(person: desk.model) }
    #expect(host.text == ["Ravi"])
    try await desk.write(by: writer) { $0.name = "Maria" }
    #expect(host.text == ["Maria"])
    #expect(host.evaluations(of: NameView.self) == 2)
    try await desk.write(by: writer) { $0.age += 1 }
    #expect(host.evaluations(of: NameView.self) == 2)
    try await desk.write(by: writer) { $0.name = "Maria" }
    #expect(host.evaluations(of: NameView.self) == 2)
  }

  @Test(arguments: Writer.all) func `row 28: runs once a transaction, and sees all of it`(
    _ writer: Writer
  ) async throws {
    let desk = try Desk(Person.self)
    let host = HeadlessHost { Card(person: desk.model) }
    _ = host.text
    try await desk.write(by: writer) { person in
      withTransaction {
        person.isMember = true
        person.age = 31
        person.age = 32
      }
    }
    #expect(host.text == ["32", "Read"])
    #expect(host.evaluations(of: Card.self) == 2)
  }

  @Test(arguments: Writer.all) func `row 61: forgets what it did not read again`(_ writer: Writer) async throws {
    let desk = try Desk(Person.self)
    desk.model.isMember = true
    let host = HeadlessHost { Card(person: desk.model) }
    _ = host.text
    try await desk.write(by: writer) { $0.isMember = false }
    #expect(host.evaluations(of: Card.self) == 2)
    try await desk.write(by: writer) { $0.age = 99 }
    try host.tap("Read")
    try await desk.write(by: writer) { $0.age = 98 }
    #expect(host.evaluations(of: Card.self) == 2)
  }

  @Test func `row 62: follows objects of the standard library's macro`() {
    let outer = Outer()
    let host = HeadlessHost { Nested(outer: outer) }
    outer.inner.value = 2
    #expect(host.text == ["2"])
    outer.inner = Inner()
    #expect(host.text == ["1"])
    let evaluations = host.evaluations(of: Nested.self)
    outer.other += 1
    #expect(host.evaluations(of: Nested.self) == evaluations)
  }

  @Test func `runs no more once its view is gone`() {
    let person = Person()
    var host: HeadlessHost? = HeadlessHost { NameView(person: person) }
    weak let tree = host?.tree
    host = nil
    #expect(tree == nil)
    person.name = "Maria"
  }
}
