import Foundation
import StarlingView
import Testing

@Suite struct `Elements named by offsets` {
  @Test func `are removed together`() {
    var letters = ["a", "b", "c", "d"]
    letters.remove(atOffsets: [1, 3])
    #expect(letters == ["a", "c"])
  }

  /// Against what moving them means: the element before which they end, with the others in their order.
  @Test func `are moved together, wherever to`() {
    let letters = ["a", "b", "c", "d"]
    for subset in 0..<16 {
      let source = IndexSet((0..<4).filter { subset >> $0 & 1 == 1 })
      for destination in 0...4 {
        var moved = letters
        moved.move(fromOffsets: source, toOffset: destination)
        let stay = letters.indices.filter { !source.contains($0) }
        let expected = stay.filter { $0 < destination } + Array(source) + stay.filter { $0 >= destination }
        #expect(moved == expected.map { letters[$0] })
      }
    }
  }
}
