import StarlingGraph
import StarlingModel
import StarlingModelTestSupport
import Testing

/// Each model class is of one test alone: a property is reported once in a process.
@Replicated final class Lamp: Sendable {
  var isLit = false
  var colour = "warm"
  @Local var isWatched = false
}

@Replicated final class Stage: Sendable {
  var act = 1
}

/// Opens its model before any actor stands behind it.
actor Hasty {
  let stage: Stage

  init(_ space: ModelSpace) throws {
    stage = try space.model(Stage.self, named: "hasty")
  }
}

/// Says that it means it.
actor Careful {
  let stage: Stage

  init(_ space: ModelSpace) throws {
    stage = try space.model(Stage.self, named: "careful", isolation: nil)
  }
}

/// Opens its model in a method.
actor Patient {
  private var stage: Stage?

  func open(_ space: ModelSpace) throws {
    stage = try space.model(Stage.self, named: "patient")
  }
}

// Only debug builds look.
#if DEBUG
  @Suite struct `A diagnostic` {
    let pair = Pair()

    @MainActor @Test func `names the property that is used off the model's actor`() async throws {
      let incidents = Incidents()
      let lamp = try pair.here.space.model(Lamp.self, named: "lamp")
      lamp.isLit = true
      #expect(lamp.isLit)
      #expect(!incidents.contains { if case .usedElsewhere = $0 { true } else { false } })
      await Task.detached {
        lamp.isLit = false
        _ = (lamp.colour, lamp.isWatched)
      }.value
      #expect(incidents.contains { $0 == .usedElsewhere(property: "Lamp.isLit", isWrite: true) })
      #expect(incidents.contains { $0 == .usedElsewhere(property: "Lamp.colour", isWrite: false) })
      #expect(incidents.contains { $0 == .usedElsewhere(property: "Lamp's local property 1", isWrite: false) })
      #expect(
        "\(ModelIncident.usedElsewhere(property: "Lamp.isLit", isWrite: true))".contains("Lamp.isLit was written off"))
    }

    @Test func `says nothing of a model that is at home anywhere`() async throws {
      let incidents = Incidents()
      let lamp = try pair.here.space.model(Lamp.self, named: "lamp", isolation: nil)
      await Task.detached { lamp.colour = "cold" }.value
      #expect(!incidents.contains { $0 == .usedElsewhere(property: "Lamp.colour", isWrite: true) })
    }

    @Test func `names the model that is opened in an actor's own initializer`() async throws {
      let incidents = Incidents()
      _ = try Hasty(pair.here.space)
      _ = try Careful(pair.here.space)
      try await Patient().open(pair.here.space)
      #expect(incidents.contains { $0 == .openedInInitializer(type: "Stage", name: "hasty") })
      #expect(!incidents.contains { $0 == .openedInInitializer(type: "Stage", name: "careful") })
      #expect(!incidents.contains { $0 == .openedInInitializer(type: "Stage", name: "patient") })
    }
  }
#endif
