import StarlingGraph
import StarlingModelTestSupport
import StarlingView
import Testing

@Observable @MainActor private final class Form {
  struct User: Equatable {
    var name = "Ravi"
    var age = 30
  }
  struct Item: Identifiable, Equatable {
    var id: Int
    var title: String
  }
  var user = User()
  var items = [Item(id: 1, title: "a"), Item(id: 2, title: "b")]
  var note: String?
}

private struct FormView: View {
  @Bindable var form: Form
  let evaluations: Count

  var body: some View {
    let _ = evaluations.up()
    TextField("Name", text: $form.user.name)
    Items(form: form)
    Note(form: form)
  }
}

private struct Items: View {
  @Bindable var form: Form
  var body: some View {
    ForEach($form.items) { $item in TextField("Item", text: $item.title) }
  }
}

private struct Note: View {
  @Bindable var form: Form
  var body: some View {
    if let text = Binding($form.note) { TextField("Note", text: text) } else { Text("no note") }
  }
}

@Replicated final class Chapter: Sendable, Identifiable {
  var title = ""
}

@Replicated final class Novel: Sendable {
  var chapters: [Chapter] = []
  var words: [String] = []
}

private struct Table: View {
  @Bindable var novel: Novel
  let evaluations: Count

  var body: some View {
    let _ = evaluations.up()
    ForEach($novel.chapters) { $chapter in TextField("Title", text: $chapter.title) }
  }
}

@MainActor @Suite struct `A view over models of the standard library` {
  @Test func `shows what is written beside its bindings`() {
    let form = Form()
    let evaluations = Count()
    let host = HeadlessHost { FormView(form: form, evaluations: evaluations) }
    #expect(host.shows("Ravi"))
    form.user.name = "Maria"
    #expect(host.shows("Maria"), "\(host.text)")
    form.user.name = "Ada"
    #expect(host.shows("Ada"), "\(host.text)")
    form.items[0].title = "first"
    #expect(host.shows("first"), "\(host.text)")
    form.items.append(.init(id: 3, title: "third"))
    #expect(host.shows("third"), "\(host.text)")
    form.note = "remember"
    #expect(host.shows("remember"), "\(host.text)")
    form.note = nil
    #expect(host.shows("no note"), "\(host.text)")
    #expect(evaluations.value == 1)
  }

  @Test func `is not evaluated for one element of a model's array`() throws {
    let desk = try Desk(Novel.self)
    let novel = desk.model
    for title in ["a", "b", "c"] {
      let chapter = Chapter()
      chapter.title = title
      novel.chapters.append(chapter)
    }
    let evaluations = Count()
    let host = HeadlessHost { Table(novel: novel, evaluations: evaluations) }
    #expect(evaluations.value == 1)
    novel.chapters[1].title = "second"
    #expect(host.shows("second"), "\(host.text)")
    #expect(evaluations.value == 1)
  }

  @Test func `computes what its bindings read on the main actor, whoever writes`() async throws {
    let desk = try Desk(Novel.self)
    let novel = desk.model
    let wrong = Count()
    let host = HeadlessHost { LengthView(novel: novel, wrong: wrong) }
    await Task.detached { novel.words = ["a", "b"] }.value
    for _ in 0..<100_000 where !host.shows("words 2") {
      await Task.yield()
    }
    #expect(host.shows("words 2"), "\(host.text)")
    #expect(wrong.value == 0)
  }
}

private struct LengthView: View {
  let novel: Novel
  let wrong: Count

  var body: some View {
    let binding = Binding(
      get: { [novel, wrong] () -> Lengths in
        if !MainActor.shared.isCurrent { wrong.up() }
        return Lengths(count: novel.words.count)
      }, set: { (_: Lengths) in })
    Text("words \(binding.count.wrappedValue)")
  }
}

private struct Lengths: Equatable {
  var count: Int
}

extension HeadlessHost {
  fileprivate func shows(_ words: String) -> Bool { text.contains { $0.contains(words) } }
}
