import Observation
import StarlingBinding
import StarlingGraph
import StarlingGuard
import StarlingModel
import StarlingModelTestSupport
import Testing

/// A view model as programs have them: the standard library's, with structs in it.
@Observable private final class ViewModel: @unchecked Sendable {
  // Sendable: used by one thread.
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

private actor Elsewhere {
  private(set) var written: [Int] = []
  private(set) var isHere = true

  /// A binding whose get is the main actor's and whose set is this actor's.
  func binding(_ get: @escaping @MainActor @Sendable () -> Int) -> Binding<Int> {
    Binding(get: get, set: { (value: Int) in self.take(value) })
  }

  private func take(_ value: Int) {
    preconditionIsolated()
    written.append(value)
  }
}

@Suite struct `A read` {
  @Test func `through a part of a binding follows a model of the standard library`() {
    let model = ViewModel()
    let log = Guarded<[String]>([])
    let observing = observe(isolation: nil) { [model] in
      let name = Bindable(model).user.name.wrappedValue
      log.withLock { $0.append(name) }
    }
    model.user.name = "Maria"
    model.user.age = 31
    model.user.name = "Ada"
    #expect(log.withLock { $0 } == ["Ravi", "Maria", "Ada"])
    observing.cancel()
  }

  @Test func `of a binding's presence follows whether there is a value, and not which`() {
    let model = ViewModel()
    let log = Guarded<[Bool]>([])
    let observing = observe(isolation: nil) { [model] in
      let isThere = Binding(Bindable(model).note) != nil
      log.withLock { $0.append(isThere) }
    }
    model.note = "a"
    model.note = "b"
    model.note = nil
    #expect(log.withLock { $0 } == [false, true, false])
    observing.cancel()
  }

  @Test func `of a model that is untracked wakes no scope of the standard library`() {
    let book = Book()
    let heard = Guarded(0)
    withObservationTracking {
      _ = untracked { book.title }
    } onChange: {
      heard.withLock { $0 += 1 }
    }
    book.title = "Dune"
    #expect(heard.withLock { $0 } == 0)
  }

  @Test func `in a scope that an observer began is heard by both`() {
    let book = Book()
    let heard = Guarded(0)
    let runs = Guarded(0)
    let observing = observe(isolation: nil) {
      runs.withLock { $0 += 1 }
      withObservationTracking {
        _ = book.title
      } onChange: {
        heard.withLock { $0 += 1 }
      }
    }
    book.title = "Dune"
    #expect(heard.withLock { $0 } == 1)
    #expect(runs.withLock { $0 } == 2)
    observing.cancel()
  }

  @MainActor @Test func `of a binding is made on the getter's actor, and a write on the setter's`() async {
    let elsewhere = Elsewhere()
    let number = 7
    let binding = await elsewhere.binding { number }
    #expect(binding.wrappedValue == 7)
    binding.wrappedValue = 8
    for _ in 0..<100_000 where await elsewhere.written.isEmpty { await Task.yield() }
    #expect(await elsewhere.written == [8])
  }
}
