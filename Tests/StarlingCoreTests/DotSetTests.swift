import StarlingCore
import Testing

@Suite struct `A set of dots` {
  private let dots = (1...3).map { Dot(ReplicaID(rawValue: 5), $0) }

  @Test func `holds what it was given, in order`() {
    for count in 0...3 {
      let set = DotSet(dots.prefix(count))
      #expect(Array(set) == Array(dots.prefix(count)))
      #expect(set.count == count)
      #expect(set.isEmpty == (count == 0))
    }
  }

  @Test func `is the same however it was made`() {
    #expect(DotSet() == DotSet([]))
    #expect(DotSet(dots[0]) == DotSet([dots[0]]))
    #expect(DotSet(dots[0]) == [dots[0]])
    #expect(DotSet(dots) == [dots[0], dots[1], dots[2]])
    #expect(DotSet(dots[0]) != DotSet(dots[1]))
  }

  @Test func `knows whether one dot is all that it has`() {
    #expect(DotSet(dots[0]).isOnly(dots[0]))
    #expect(!DotSet(dots[0]).isOnly(dots[1]))
    #expect(!DotSet().isOnly(dots[0]))
    #expect(!DotSet(dots).isOnly(dots[0]))
  }
}
