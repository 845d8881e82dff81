import StarlingCore
import Testing

@testable import StarlingSession

@Suite struct `The documents that are forgotten` {
  @Test func `are listed in the order of their bytes, each once`() {
    var forgotten = ForgottenDocuments([DocumentID("é")!])
    let isNew24 = forgotten.insert(DocumentID("b")!)
    #expect(isNew24)
    let isNew25 = forgotten.insert(DocumentID("a")!)
    #expect(isNew25)
    let isNew26 = forgotten.insert(DocumentID("b")!)
    #expect(!isNew26)
    #expect(forgotten.list().map(\.name) == ["a", "b", "é"])
    #expect(forgotten.list { $0.name != "b" }.map(\.name) == ["a", "é"])
  }

  @Test func `are bounded`() {
    var forgotten = ForgottenDocuments((0..<ForgottenDocuments.countMax).map { DocumentID("\($0)")! })
    #expect(forgotten.isFull)
    let isNew27 = forgotten.insert(DocumentID("one more")!)
    #expect(!isNew27)
    #expect(forgotten.contains(DocumentID("0")!))
  }

  @Test func `are told to the log one after the other, again where it refused, and to nobody before`() {
    let (a, b) = (DocumentID("a")!, DocumentID("b")!)
    var forgotten = ForgottenDocuments([DocumentID("old")!])
    #expect(forgotten.isStored(DocumentID("old")!))
    #expect(!forgotten.isToStore)
    let areNew = [forgotten.insert(b), forgotten.insert(a)]
    #expect(areNew == [true, true])
    #expect(forgotten.takeToStore() == b)
    #expect(!forgotten.isStored(b))
    forgotten.putBack()
    #expect(forgotten.takeToStore() == b)
    forgotten.stored()
    #expect(forgotten.isStored(b) && !forgotten.isStored(a) && forgotten.isToStore)
    #expect(forgotten.takeToStore() == a)
    #expect(!forgotten.isToStore && !forgotten.isStored(a))
    forgotten.stored()
    #expect(forgotten.isStored(a))
    #expect(forgotten.takeToStore() == nil)
  }
}
