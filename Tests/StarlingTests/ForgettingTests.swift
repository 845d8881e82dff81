import Foundation
import Starling
import Testing

@Suite(.timeLimit(.minutes(10))) struct `A forgotten document of a replica` {
  private let drafts = DocumentID("drafts")!

  @Test func `leaves models with their defaults, which take no writes`() async throws {
    let group = try Group()
    let replica = try await group.open("data") { $0.joinsThisMachine = false }
    let space = ModelSpace(try await replica.engine.open(drafts))
    let book = try space.model(Book.self, named: "dune", isolation: nil)
    book.title = "Dune"
    book.tags = ["novel"]
    try await replica.forget(drafts)
    #expect(book.title == "A sample book")
    #expect(book.tags.isEmpty)
    book.title = "Emma"
    #expect(book.title == "A sample book")
    let error = await #expect(throws: ForgetError.self) { try await replica.json(of: drafts) }
    #expect(error?.code == .forgotten)
    let main = try #require(DocumentID("test"))
    let kept = await #expect(throws: ForgetError.self) { try await replica.forget(main) }
    #expect(kept?.code == .kept)
    try await replica.close()
    // After a restart too.
    let again = try await group.open("data") { $0.joinsThisMachine = false }
    #expect(await again.forgottenDocuments() == [drafts])
    await #expect(throws: ForgetError.self) { try await again.json(of: drafts) }
    try await again.close()
  }

  @Test func `takes no JSON`() async throws {
    let group = try Group()
    let replica = try await group.open { $0.joinsThisMachine = false }
    let document = try await replica.json(of: drafts)
    try document.set(.integer(1), at: DocumentPath("a")!)
    try await replica.forget(drafts)
    #expect(try document.value().description == "{}")
    let error = #expect(throws: JSONDocumentError.self) { try document.set(.integer(2), at: DocumentPath("a")!) }
    #expect(error?.code == .forgotten)
    try await replica.close()
  }
}
