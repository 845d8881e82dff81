import Observation
import StarlingBinding
import StarlingEngine
import StarlingGuard
import StarlingModel
import StarlingModelTestSupport
import StarlingTestSupport
import Testing

struct Item: Identifiable, Equatable {
  var id: Int
  var title: String
}

/// Of the standard library's kind: its fields have no identity but their key paths.
@Observable final class Items {
  var all = [Item(id: 1, title: "a"), Item(id: 2, title: "b")]
  var letters = ["a", "b", "c"]
  var scores: [String: Int] = [:]

  subscript(scoreFor player: String) -> Int {
    get { scores[player, default: 0] }
    set { scores[player] = newValue }
  }
}

/// A view's state as its user writes it: nothing about it is Sendable.
@MainActor final class Form {
  var name = "Ada"
  var reads = 0

  var nameBinding: Binding<String> {
    Binding(
      get: {
        self.reads += 1
        return self.name
      }, set: { self.name = $0 })
  }
}

/// What receives a binding and hands it on.
@MainActor struct Editor {
  @Binding var text: String

  func type(_ text: String) { self.text = text }
  var deeper: Editor { Editor(text: $text) }
}

@MainActor @Suite struct `A binding` {
  let pair = Pair()

  @Test func `row 31: leads both ways`() throws {
    let screen = try pair.here.space.model(Screen.self, named: "screen")
    let field = Editor(text: Bindable(screen).title)
    field.type("Away")
    #expect(screen.title == "Away")
    screen.title = "Back"
    #expect(field.text == "Back")
  }

  @Test func `row 32: stores nothing of its own`() {
    final class Mortal {}
    final class Owner {
      var held: Mortal? = Mortal()
    }
    let owner = Owner()
    weak let held = owner.held
    let binding = Binding(get: { owner.held }, set: { owner.held = $0 })
    let other = binding.projectedValue
    _ = binding.wrappedValue
    other.wrappedValue = nil
    #expect(binding.wrappedValue == nil)
    #expect(held == nil)
  }

  @Test func `row 33: of a binding is a binding, at any depth`() throws {
    let screen = Screen()
    let field = Editor(text: Bindable(screen).title).deeper.deeper.deeper.deeper.deeper
    field.type("Away")
    #expect(screen.title == "Away")
    #expect(field.$text == Bindable(screen).title)
  }

  @Test func `row 34: is taken apart by closures that name it with a dollar`() throws {
    let items = Items()
    let rename: (Binding<Item>) -> Void = { $item in item.title += "!" }
    for item in Bindable(items).all { rename(item) }
    #expect(items.all.map(\.title) == ["a!", "b!"])
    #expect(Binding(projectedValue: Bindable(items).all) == Bindable(items).all)
  }

  @Test func `row 35: is made of two closures, as users write them`() {
    let form = Form()
    let binding = form.nameBinding
    #expect(binding.wrappedValue == "Ada")
    binding.wrappedValue = "Grace"
    #expect(form.name == "Grace")
    #expect(form.reads == 1)

    var animations: [Animation?] = []
    let heard = Binding(
      get: { form.name },
      set: { name, transaction in
        form.name = name
        animations.append(transaction.animation)
      })
    heard.wrappedValue = "Alan"
    withAnimation(.linear) { heard.wrappedValue = "Kurt" }
    #expect(form.name == "Kurt")
    #expect(animations == [nil, .linear])
  }

  @Test func `row 36: that is constant ignores writes`() {
    let binding = Binding.constant(3)
    binding.wrappedValue = 4
    #expect(binding.wrappedValue == 3)
    #expect(Binding.constant(3) == Binding.constant(3))
    #expect(Binding.constant(3) != Binding.constant(4))
  }

  @Test func `row 37: to something hashable ignores what is of another type`() {
    let screen = Screen()
    let hashable: Binding<AnyHashable> = Binding(Bindable(screen).title)
    #expect(hashable.wrappedValue == AnyHashable("Home"))
    hashable.wrappedValue = "Away"
    #expect(screen.title == "Away")
    hashable.wrappedValue = 5
    #expect(screen.title == "Away")
  }

  @Test(arguments: Writer.all) func `row 38: to the inside of an optional survives its end`(writer: Writer) async throws
  {
    let incidents = Incidents()
    let models = try pair.models(Book.self)
    let (here, _) = models
    let subtitle = Bindable(here).subtitle
    #expect(Binding(subtitle) == nil as Binding<String>?)
    try await pair.write(models, writer) { $0.subtitle = "A novel" }
    let inside = try #require(Binding(subtitle) as Binding<String>?)
    inside.wrappedValue = "A long novel"
    #expect(here.subtitle == "A long novel")
    try await pair.write(models, writer) { $0.subtitle = nil }
    #expect(inside.wrappedValue == "A long novel")
    inside.wrappedValue = "back"
    #expect(here.subtitle == nil)
    #expect(incidents.contains { $0 == .bindingToNothing })
  }

  @Test func `row 38: becomes one to an optional, whose nil is ignored`() {
    let screen = Screen()
    let optional: Binding<String?> = Binding(Bindable(screen).title)
    optional.wrappedValue = "Away"
    #expect(screen.title == "Away")
    optional.wrappedValue = nil
    #expect(screen.title == "Away")
    #expect(optional.wrappedValue == "Away")
  }

  @Test func `row 39: to a struct leads to its fields`() throws {
    let (here, _) = try pair.models(Book.self)
    let width = Bindable(here).size.width
    width.wrappedValue = 9
    #expect(here.size == Size(width: 9, height: 2))
  }

  @Test func `row 40: to an element follows the element`() throws {
    let incidents = Incidents()
    let items = Items()
    let second = Bindable(items).all[1]
    #expect(second == Bindable(items).all[1])
    items.all.insert(Item(id: 0, title: "new"), at: 0)
    second.title.wrappedValue = "B"
    #expect(items.all.map(\.title) == ["new", "a", "B"])
    items.all.removeAll()
    #expect(second.wrappedValue.title == "B")
    second.title.wrappedValue = "C"
    #expect(items.all.isEmpty)
    #expect(incidents.contains { $0 == .bindingToNothing })
  }

  @Test(arguments: Writer.all)
  func `row 40: to an element of a model follows it, whoever inserts before it`(writer: Writer) async throws {
    let models = try pair.models(Album.self)
    let (here, there) = models
    here.songs.append(contentsOf: ["one", "two"])
    pair.exchange()
    let second = Bindable(here).songs[1]
    try await pair.write(models, writer) { $0.songs.insert("zero", at: 0) }
    second.wrappedValue = "TWO"
    pair.exchange()
    #expect(Array(here.songs) == ["zero", "one", "TWO"])
    #expect(Array(there.songs) == ["zero", "one", "TWO"])
  }

  @Test func `row 40: to a collection is a collection of bindings`() {
    let items = Items()
    let letters = Bindable(items).letters
    #expect(letters.count == 3)
    #expect(letters.map(\.wrappedValue) == ["a", "b", "c"])
    #expect(letters.reversed().map(\.wrappedValue) == ["c", "b", "a"])
    #expect(letters[letters.index(before: letters.endIndex)].wrappedValue == "c")
    #expect(letters.dropFirst().first?.wrappedValue == "b")
    letters.last?.wrappedValue = "C"
    #expect(items.letters == ["a", "b", "C"])
  }

  @Test(arguments: Writer.all)
  func `row 41: to an element that is gone neither traps nor revives it`(writer: Writer) async throws {
    let incidents = Incidents()
    let items = Items()
    let last = Bindable(items).letters[2]
    items.letters.removeLast(2)
    #expect(last.wrappedValue == "c")
    last.wrappedValue = "C"
    #expect(items.letters == ["a"])

    let models = try pair.models(Album.self)
    models.0.songs.append(contentsOf: ["one", "two"])
    pair.exchange()
    let second = Bindable(models.0).songs[1]
    try await pair.write(models, writer) { $0.songs.remove(at: 1) }
    #expect(second.wrappedValue == "two")
    second.wrappedValue = "TWO"
    pair.exchange()
    #expect(Array(models.0.songs) == ["one"])
    #expect(incidents.contains { $0 == .bindingToNothing })
  }

  @Test func `row 42: to something identifiable has its identity`() {
    let items = Items()
    #expect(Bindable(items).all.map(\.id) == [1, 2])
  }

  @Test func `row 43: gives what it writes an animation`() {
    let form = Form()
    var carried: [Animation?] = []
    let binding = Binding(
      get: { form.name },
      set: { name, transaction in
        form.name = name
        carried.append(transaction.animation)
      })
    binding.animation(.easeIn).wrappedValue = "Grace"
    binding.animation().wrappedValue = "Alan"
    withAnimation(.linear) { binding.animation(nil).wrappedValue = "Kurt" }
    #expect(carried == [.easeIn, .default, nil])
    #expect(form.name == "Kurt")
  }

  @Test func `row 44: gives what it writes a transaction, the last one over the others`() {
    let form = Form()
    var carried: [(Animation?, Bool)] = []
    let binding = Binding(
      get: { form.name },
      set: { name, transaction in
        form.name = name
        carried.append((transaction.animation, transaction.disablesAnimations))
      })
    var transaction = Transaction(animation: .easeIn)
    transaction.disablesAnimations = true
    let outer = binding.transaction(transaction)
    #expect(outer.transaction.animation == .easeIn)
    outer.wrappedValue = "Grace"
    withAnimation(.linear) { outer.animation(.easeOut).wrappedValue = "Alan" }
    withAnimation(.linear) { binding.wrappedValue = "Kurt" }
    #expect(carried.map(\.0) == [.easeIn, .easeOut, .linear])
    #expect(carried.map(\.1) == [true, true, false])
    #expect(Bindable(Screen()).title.animation(.easeIn) != Bindable(Screen()).title)
  }

  @Test func `row 44: hands its transaction to the bindings made of it, and to the observers that it wakes`() throws {
    let (here, _) = try pair.models(Book.self)
    let seen = Guarded<[Animation?]>([])
    let watch = Watch {
      seen.withLock { $0.append(Transaction.current.animation) }
      return here.size
    }
    Bindable(here).size.animation(.easeIn).width.wrappedValue = 4
    withTransaction {
      withAnimation(.easeOut) { here.size.height = 7 }
    }
    here.size.height = 8
    #expect(seen.withLock { $0 } == [nil, .easeIn, .easeOut, nil])
    #expect(watch.runs == 4)
    #expect(pair.here.handle.takeOutbox().count == 3)
  }

  @Test func `row 46: is Sendable only where its value is`() {
    final class Loose {}
    #expect(isSendable(Binding<String>.self))
    #expect(!isSendable(Binding<Loose>.self))
    #expect(isSendable(Bindable<Book>.self))
    #expect(!isSendable(Bindable<Items>.self))
  }

  @Test func `row 47: used off its actor hops there, and is reported`() async throws {
    let incidents = Incidents()
    let form = Form()
    let binding = form.nameBinding
    let screen = try pair.here.space.model(Screen.self, named: "screen")
    let title = Bindable(screen).title
    #expect(binding.wrappedValue == "Ada")
    #expect(title.wrappedValue == "Home")
    let read = await Task.detached {
      binding.wrappedValue = "Grace"
      title.wrappedValue = "Away"
      return (binding.wrappedValue, title.wrappedValue)
    }.value
    // The main actor was free in between or not: what was read there last was the one or the other.
    #expect(read.0 == "Ada" || read.0 == "Grace")
    #expect(read.1 == "Home" || read.1 == "Away")
    #expect(await Turns.pass { form.name == "Grace" && screen.title == "Away" })
    #expect(form.name == "Grace")
    #expect(screen.title == "Away")
    for isWrite in [true, false] {
      for property in [nil, "Screen.title"] {
        #expect(incidents.contains { $0 == .bindingElsewhere(property: property, type: "String", isWrite: isWrite) })
      }
    }
  }

  @Test func `row 49: equals another to the same location`() throws {
    let screen = Screen()
    let other = Screen()
    @Bindable var one = screen
    @Bindable var two = screen
    @Bindable var three = other
    #expect($one.title == $two.title)
    #expect($one.title != $three.title)
    #expect($one.title != Binding(get: { "" }, set: { _ in }))
    #expect(Binding(get: { 1 }, set: { _ in }) != Binding(get: { 1 }, set: { _ in }))
    #expect(Binding(get: { 1 }, set: { _ in }, id: "x") == Binding(get: { 1 }, set: { _ in }, id: "x"))
  }

  @Test func `row 50: through a subscript equals another with equal arguments`() {
    let items = Items()
    @Bindable var model = items
    #expect($model[scoreFor: "Ada"] == $model[scoreFor: "Ada"])
    #expect($model[scoreFor: "Ada"] != $model[scoreFor: "Grace"])
    $model[scoreFor: "Ada"].wrappedValue += 3
    #expect(items.scores == ["Ada": 3])
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

  @Test func `row 53: to a model's property reads and writes that property`() throws {
    let screen = try pair.here.space.model(Screen.self, named: "screen")
    @Bindable var bindable = screen
    let title: Binding<String> = $bindable.title
    #expect(title.wrappedValue == "Home")
    title.wrappedValue = "Away"
    #expect(screen.title == "Away")
    #expect(pair.here.handle.takeOutbox().count == 1)
  }

  @Test func `row 54: is had of a local Bindable, made where it is needed`() {
    func body(_ model: Items) -> Binding<[Item]> {
      @Bindable var model = model
      return $model.all
    }
    let items = Items()
    body(items).wrappedValue.removeAll()
    #expect(items.all.isEmpty)
  }

  @Test func `row 55: is had of a Bindable made in each way there is`() {
    let items = Items()
    #expect(Bindable(items).all == Bindable(wrappedValue: items).all)
    #expect(Bindable(projectedValue: Bindable(items)).all == Bindable(items).all)
    #expect(Bindable(items).wrappedValue === items)
  }

  @Test func `row 57: to an object, and a Bindable of it, write the same property`() throws {
    let items = Items()
    var held = items
    let toObject = Binding(get: { held }, set: { held = $0 })
    toObject.letters.wrappedValue = ["x"]
    #expect(items.letters == ["x"])
    Bindable(items).letters.wrappedValue = ["y"]
    #expect(toObject.letters.wrappedValue == ["y"])
    #expect(held === items)
  }

  @Test(arguments: Writer.all) func `to a removed object is dropped and reported`(writer: Writer) async throws {
    let incidents = Incidents()
    let models = try pair.models(Library.self)
    let author = Author()
    models.0.owner = author
    let name = Bindable(author).name
    try await pair.write(models, writer) { $0.owner = nil }
    name.wrappedValue = "gone"
    #expect(author.name == "Nobody")
    #expect(incidents.contains { if case .writeToRemoved = $0 { true } else { false } })
  }
}
