import Foundation
import StarlingModel
import StarlingModelTestSupport
import Testing

@Replicated final class Ticket: Sendable {
  var id = UUID()
  var title = "Untitled"
}

@Replicated final class Stamped: Sendable {
  var ticket = Ticket()
}

@Replicated final class Tickets: Sendable {
  var all: [Ticket] = []
  var byName: ReplicatedDictionary<String, Ticket> = [:]
}

@Suite struct `A default that differs each time` {
  private let pair = Pair()

  @Test func `is refused of a named model, with what to do`() throws {
    let error = #expect(throws: ModelError.self) { try pair.models(Ticket.self) }
    #expect(error?.code == .varyingDefault)
    #expect(error?.message.contains("Ticket.id") == true)
    #expect(error?.message.contains("optional") == true)
  }

  @Test func `is refused of what a named model holds`() throws {
    let error = #expect(throws: ModelError.self) { try pair.models(Stamped.self) }
    #expect(error?.message.contains("Ticket.id") == true)
  }

  @Test func `is written with a model that enters a collection, and alike everywhere`() throws {
    let (here, there) = try pair.models(Tickets.self)
    here.all.append(Ticket())
    _ = here.byName.model(for: "first")
    pair.exchange()
    #expect(here.all[0].id == there.all[0].id)
    #expect(here.byName["first"]?.id == there.byName["first"]?.id)
  }
}
