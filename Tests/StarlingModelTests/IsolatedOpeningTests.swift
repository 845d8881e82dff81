import StarlingModel
import StarlingModelTestSupport
import Testing

@Suite struct `A model of the main actor` {
  private let pair = Pair()

  @Test func `is not opened elsewhere, and says what to do`() async throws {
    let space = pair.here.space
    let error = #expect(throws: ModelError.self) { try space.model(Screen.self, named: "home", isolation: nil) }
    #expect(error?.code == .otherIsolation)
    #expect(error?.message.contains("Screen") == true)
    #expect(error?.message.contains("'home'") == true)
    #expect(error?.message.contains("MainActor") == true)
  }

  @MainActor @Test func `is opened on it`() throws {
    #expect(try pair.here.space.model(Screen.self, named: "home").title == "Home")
  }
}
