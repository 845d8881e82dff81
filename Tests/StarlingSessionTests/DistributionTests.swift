import StarlingSession
import Testing

@Suite struct `A distribution` {
  @Test func `has each amount in the bucket of the next power of two`() {
    for amount in 0...70 {
      var distribution = Distribution(exponents: 2...5)
      distribution.add(amount)
      let place = distribution.bounds.firstIndex { amount <= $0 } ?? distribution.bounds.count
      #expect(distribution.buckets.firstIndex(of: 1) == place, "\(amount)")
      #expect(distribution.count == 1)
      #expect(distribution.sum == amount)
    }
  }

  @Test func `holds what is beyond all bounds, and below zero`() {
    var distribution = Distribution(exponents: 0...62)
    distribution.add(.max)
    distribution.add(.max)
    distribution.add(.min)
    #expect(distribution.buckets.last == 2)
    #expect(distribution.buckets.first == 1)
    #expect(distribution.sum == .max)
  }

  @Test func `adds up with another`() {
    var (left, right, all) = (
      Distribution(exponents: 0...3), Distribution(exponents: 0...3), Distribution(exponents: 0...3)
    )
    for amount in 0..<20 {
      if amount.isMultiple(of: 3) { left.add(amount) } else { right.add(amount) }
      all.add(amount)
    }
    left += right
    #expect(left == all)
  }
}
