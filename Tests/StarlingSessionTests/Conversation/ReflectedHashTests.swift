import StarlingCore
import Testing

@testable import StarlingSession

@Suite struct `A hash of all that a value stores` {
  private struct Inner {
    private var hidden: Int
    var table: [String: [Inner]] = [:]
    init(_ hidden: Int) { self.hidden = hidden }
  }

  private enum Place {
    case none, elsewhere
    case at(Inner, since: Duration)
  }

  private struct Outer {
    var before: UInt8 = 1
    var place = Place.none
    var inner: Inner?
    var pairs: [(Int, Inner)] = []
  }

  private func hash(_ alter: (inout Outer) -> Void) -> Int {
    var (value, reflected) = (Outer(), ReflectedHash())
    alter(&value)
    return reflected.hash(value)
  }

  @Test func `differs wherever a stored property does, private ones too`() {
    let hashes = [
      hash { _ in }, hash { $0.before = 2 }, hash { $0.place = .elsewhere },
      hash { $0.place = .at(Inner(1), since: .zero) }, hash { $0.place = .at(Inner(2), since: .zero) },
      hash { $0.place = .at(Inner(1), since: .seconds(1)) }, hash { $0.inner = Inner(0) }, hash { $0.inner = Inner(1) },
      hash {
        $0.inner = Inner(1)
        $0.inner?.table = ["a": [Inner(1)]]
      },
      hash {
        $0.inner = Inner(1)
        $0.inner?.table = ["a": [Inner(1), Inner(1)]]
      },
      hash { $0.pairs = [(1, Inner(1))] }, hash { $0.pairs = [(1, Inner(2))] },
    ]
    #expect(Set(hashes).count == hashes.count)
  }

  @Test func `is the same whatever order a table stands in`() {
    func table(_ keys: some Sequence<Int>) -> Int {
      hash {
        $0.inner = Inner(0)
        for key in keys { $0.inner?.table["\(key)"] = [Inner(key)] }
      }
    }
    #expect(table(0..<100) == table((0..<100).reversed()))
  }

  @Test func `names what nothing can be seen of`() {
    var reflected = ReflectedHash()
    _ = reflected.hash([{ 1 }])
    #expect(reflected.unseen.count == 1)
  }

  @Test func `differs for two replicas after one ticked`() {
    var reflected = ReflectedHash()
    let replica = ValueReplica(1)
    var other = replica.copy()
    #expect(reflected.hash(replica) == reflected.hash(other))
    other.tick(now: .seconds(1))
    #expect(reflected.hash(replica) != reflected.hash(other))
  }
}
