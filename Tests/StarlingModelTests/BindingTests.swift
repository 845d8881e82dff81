import Observation
import StarlingEngine
import StarlingModel
import Testing

struct Item: Identifiable, Equatable {
  var id: Int
  var title: String
}

@Observable final class Items {
  var all = [Item(id: 1, title: "a"), Item(id: 2, title: "b")]
}

@MainActor @Suite struct `A binding` {
  let pair = Pair()

  @Test func `row 53: reads and writes one property`() throws {
    let screen = try pair.here.space.model(Screen.self, named: "screen")
    @Bindable var bindable = screen
    let title: Binding<String> = $bindable.title
    #expect(title.wrappedValue == "Home")
    title.wrappedValue = "Away"
    #expect(screen.title == "Away")
    #expect(pair.here.handle.takeOutbox().count == 1)
  }

  @Test func `row 49: equals another to the same location`() throws {
    let screen = Screen()
    let other = Screen()
    @Bindable var one = screen
    @Bindable var two = screen
    @Bindable var three = other
    #expect($one.title == $two.title)
    #expect($one.title != $three.title)
    #expect($one.title != Bindable(screen).dynamicTitle)
    #expect(Binding(get: { 1 }, set: { _ in }) != Binding(get: { 1 }, set: { _ in }))
    #expect(Binding(get: { 1 }, set: { _ in }, id: "x") == Binding(get: { 1 }, set: { _ in }, id: "x"))
  }

  @Test func `row 36: that is constant ignores writes`() {
    let binding = Binding.constant(3)
    binding.wrappedValue = 4
    #expect(binding.wrappedValue == 3)
  }

  @Test func `row 39: to a struct leads to its fields`() throws {
    let (here, _) = try pair.models(Book.self)
    let width = Bindable(here).size.width
    width.wrappedValue = 9
    #expect(here.size == Size(width: 9, height: 2))
  }

  @Test func `row 38: to the inside of an optional survives its end`() throws {
    let incidents = Incidents()
    let (here, _) = try pair.models(Book.self)
    let subtitle = Bindable(here).subtitle
    #expect(Binding(subtitle) == nil as Binding<String>?)
    here.subtitle = "A novel"
    let inside = try #require(Binding(subtitle) as Binding<String>?)
    inside.wrappedValue = "A long novel"
    #expect(here.subtitle == "A long novel")
    here.subtitle = nil
    #expect(inside.wrappedValue == "A long novel")
    inside.wrappedValue = "back"
    #expect(here.subtitle == nil)
    #expect(incidents.contains { $0 == .bindingToNothing })
  }

  @Test func `row 40: to an element follows the element`() throws {
    let incidents = Incidents()
    let items = Items()
    let second = Bindable(items).all[1]
    let same = Bindable(items).all[1]
    #expect(second == same)
    items.all.insert(Item(id: 0, title: "new"), at: 0)
    second.title.wrappedValue = "B"
    #expect(items.all.map(\.title) == ["new", "a", "B"])
    items.all.removeAll()
    #expect(second.wrappedValue.title == "B")
    second.title.wrappedValue = "C"
    #expect(items.all.isEmpty)
    #expect(incidents.contains { $0 == .bindingToNothing })
  }

  @Test func `row 52: is made without reading`() throws {
    let (here, _) = try pair.models(Book.self)
    let watch = Watch {
      _ = Bindable(here).title
      return 0
    }
    here.title = "Dune"
    #expect(watch.runs == 1)
  }

  @Test func `to a removed object is dropped and reported`() throws {
    let incidents = Incidents()
    let (here, _) = try pair.models(Library.self)
    let author = Author()
    here.owner = author
    let name = Bindable(author).name
    here.owner = nil
    name.wrappedValue = "gone"
    #expect(author.name == "Nobody")
    #expect(incidents.contains { if case .writeToRemoved = $0 { true } else { false } })
  }
}

extension Bindable<Screen> {
  @MainActor fileprivate var dynamicTitle: Binding<String> {
    Binding(get: { "" }, set: { _ in })
  }
}
