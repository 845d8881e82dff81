import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `The order in which peers are asked` {
  private let order = AskingOrder(answerTimeout: .seconds(2))

  private func candidate(_ evidence: AskingOrder.Evidence, failedAt: Duration? = nil) -> AskingOrder.Candidate {
    AskingOrder.Candidate(evidence: evidence, failedAt: failedAt)
  }

  /// All sets of up to three that wait, where nobody is asked.
  @Test func `begins with the peer that most speaks for, then with the one that came first`() {
    let all = AskingOrder.Evidence.allCases.flatMap { [candidate($0), candidate($0, failedAt: .seconds(99))] }
    func rank(_ candidate: AskingOrder.Candidate) -> (Int, Int) {
      (candidate.failedAt == nil ? 0 : 1, candidate.evidence.rawValue)
    }
    #expect(order.next(of: [], beside: [], now: .zero) == nil)
    for first in all {
      for second in all {
        for third in all {
          let waiting = [first, second, third]
          let chosen = order.next(of: waiting, beside: [], now: .seconds(100))
          let least = waiting.map(rank).min { $0 < $1 }!
          #expect(chosen == waiting.firstIndex { rank($0) == least })
        }
      }
    }
  }

  @Test func `forgets after a minute that somebody failed`() {
    let waiting = [candidate(.claims, failedAt: .zero), candidate(.silent)]
    #expect(order.next(of: waiting, beside: [], now: .seconds(59)) == 1)
    #expect(order.next(of: waiting, beside: [], now: .seconds(60)) == 0)
  }

  @Test func `goes on beside one that is silent, and waits for one that delivers`() {
    let asked = AskingOrder.Asked(candidate: candidate(.claims), askedAt: .zero)
    let waiting = [candidate(.claims)]
    #expect(order.next(of: waiting, beside: [asked], now: .milliseconds(124)) == nil)
    #expect(order.next(of: waiting, beside: [asked], now: .milliseconds(125)) == 0)
    var delivering = asked
    delivering.heardAt = .milliseconds(100)
    #expect(order.next(of: waiting, beside: [delivering], now: .milliseconds(1099)) == nil)
    #expect(order.next(of: waiting, beside: [delivering], now: .milliseconds(1100)) == 0)
    #expect(order.next(of: waiting, beside: [asked, delivering], now: .milliseconds(1099)) == nil)
  }

  @Test func `goes on at once to a peer that more speaks for than for all who are asked`() {
    for asked in AskingOrder.Evidence.allCases {
      for waiting in AskingOrder.Evidence.allCases {
        var silent = AskingOrder.Asked(candidate: candidate(asked), askedAt: .zero)
        #expect((order.next(of: [candidate(waiting)], beside: [silent], now: .zero) == 0) == (waiting < asked))
        silent.heardAt = .zero
        #expect(order.next(of: [candidate(waiting)], beside: [silent], now: .zero) == nil)
      }
    }
  }

  @Test func `asks one connection of an account at a time, as long as that is silent`() {
    var own = candidate(.claims)
    own.account = "ada"
    let asked = AskingOrder.Asked(candidate: own, askedAt: .zero)
    #expect(order.next(of: [own, candidate(.silent)], beside: [asked], now: .seconds(1)) == 1)
    #expect(order.next(of: [own], beside: [asked], now: .seconds(1)) == nil)
    var other = own
    other.account = "bob"
    #expect(order.next(of: [own, other], beside: [asked], now: .seconds(1)) == 1)
    var delivering = asked
    delivering.heardAt = .zero
    #expect(order.next(of: [own], beside: [delivering], now: .seconds(2)) == 0)
  }

  @Test func `asks no more than eight at the same time`() {
    let asked = (0..<8).map { _ in AskingOrder.Asked(candidate: candidate(.claims), askedAt: .zero) }
    #expect(order.next(of: [candidate(.published)], beside: asked, now: .seconds(1)) == nil)
    #expect(order.next(of: [candidate(.published)], beside: Array(asked.dropLast()), now: .seconds(1)) == 0)
  }
}
