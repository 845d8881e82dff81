import StarlingEngine
import StarlingGraph
import StarlingModel
import StarlingModelTestSupport
import StarlingTestSupport
import Testing

/// What another replica put into a list or text is on its way to be shown, as what holds that is removed.
@Suite struct `What is removed before a merge is delivered` {
  private let pair = Pair()

  @Test func `takes its lists and texts along`() throws {
    let (here, there) = try pair.models(Thing.self, named: "thing")
    here.list.append(Thing())
    let element = here.list[0]
    element.list.append(Thing())
    element.text.append("text")
    pair.exchange()
    there.list[0].list.append(Thing())
    there.list[0].text.append(" and more")
    pair.here.space.withConsistentRead {
      pair.exchange()
      here.list.remove(at: 0)
    }
    // It shows what it showed.
    #expect(element.list.count == 1 && element.text.string == "text")
    pair.exchange()
    #expect(here.shown == there.shown)
  }

  @Test func `in a transaction, does so at its end`() throws {
    let (here, there) = try pair.models(Thing.self, named: "thing")
    here.child = Thing()
    let child = try #require(here.child)
    child.list.append(Thing())
    pair.exchange()
    there.child?.list.append(Thing())
    pair.here.space.withConsistentRead {
      pair.exchange()
      withTransaction { here.child = nil }
    }
    #expect(child.list.count == 1)
    pair.exchange()
    #expect(here.shown == there.shown)
  }

  @Test func `is shown again where it comes back by what another replica wrote`() throws {
    let (here, there) = try pair.models(Thing.self, named: "thing")
    let entry = here.dictionary.model(for: "x")
    entry.list.append(Thing())
    let list = entry.list
    pair.exchange()
    there.dictionary["x"]?.list.append(Thing())
    pair.here.space.withConsistentRead {
      pair.exchange()
      here.dictionary["x"] = nil
      // Which knows nothing of the removal.
      there.dictionary["x"]?.list.append(Thing())
      pair.exchange()
    }
    #expect(list.count == 1)
    pair.exchange()
    #expect(here.shown == there.shown)
  }

  @Test(arguments: 0..<4) func `stands again where another replica moved it`(variant: Int) throws {
    let (here, there) = try pair.models(Thing.self, named: "thing")
    let (outer, inner) = (Thing(), Thing())
    outer.models = [inner]
    here.list.append(outer)
    pair.exchange()
    let held = there.list[0]
    let heldInner = held.models[0]
    pair.there.space.withConsistentRead {
      inner.nested.list.append(Thing())
      pair.exchange()
      if variant.isMultiple(of: 2) {
        there.list.remove(at: 0)
      } else {
        withTransaction { _ = there.list.remove(at: 0) }
      }
      if variant >= 2 { _ = heldInner.shown }
    }
    // Which knows nothing of the removal.
    here.child = inner
    pair.exchange()
    pair.exchange()
    #expect(here.shown == there.shown)
    #expect(there.child === heldInner)
  }

  @Test(arguments: [false, true]) func `shows what it did if that is taken back, also what was read in between`(
    isReplaced: Bool
  ) throws {
    let (here, _) = try pair.models(Thing.self, named: "thing")
    here.child = Thing()
    let child = try #require(here.child)
    let new = Thing()
    new.name = "element"
    child.nested.list.append(new)
    struct Back: Error {}
    let list = child.nested.list
    var element: Thing?
    try? withTransaction {
      here.child = isReplaced ? Thing() : nil
      element = list.first
      throw Back()
    }
    #expect(element?.name == "element")
    #expect(here.child?.nested.list.first?.name == "element")
  }
}

/// A model that is made by its key was made elsewhere before, and that is not visible yet.
@Suite struct `A model made by its key` {
  private let pair = Pair()

  @Test func `shows what another replica wrote there, once that is visible`() throws {
    let (here, there) = try pair.models(Thing.self, named: "thing")
    let entry = there.dictionary.model(for: "x")
    (entry.name, entry.plain) = ("x", [7])
    entry.list.append(Thing())
    entry.nested.text.append("text")
    let made = pair.here.space.withConsistentRead {
      pair.exchange()
      return here.dictionary.model(for: "x")
    }
    pair.exchange()
    #expect(made.shown == entry.shown && here.shown == there.shown)
  }

  @Test func `shows what undo brought back there`() throws {
    let (here, there) = try pair.models(Thing.self, named: "thing")
    let undo = pair.here.space.undoManager(typingPause: nil)
    let first = here.dictionary.model(for: "x")
    first.plain = [33]
    let made = try pair.here.space.withConsistentRead {
      here.dictionary["x"] = nil
      try undo.undo()
      return here.dictionary.model(for: "x")
    }
    pair.exchange()
    #expect(here.shown == there.shown && made.plain == [33])
    withExtendedLifetime(first) {}
  }
}
