import StarlingModelTestSupport
import StarlingTestSupport
import Dispatch
import StarlingBinding
import StarlingEngine
import StarlingGraph
import StarlingGuard
import StarlingModel
import Testing

/// Eight threads do everything at a time to a few models in a document and a few on their own, while another replica
/// writes the same. Afterwards every observer has seen what stands, and once all are released nothing is left.
@Suite struct `Eight threads over models that come and go` {
  private static let stepsPerThread = 300

  @Test(arguments: [1, 2] as [UInt64]) func `lose no wake and leave nothing`(seed: UInt64) throws {
    let pair = Pair()
    var world: World? = World(try pair.models(Roster.self))
    let gone = Guarded<[Gone]>([])
    if let world {
      DispatchQueue.concurrentPerform(iterations: 8) { number in
        world.live(steps: Self.stepsPerThread, Dice(seed: seed &* 1_000 &+ UInt64(number)), pair)
      }
      pair.exchangeExclusively()
      #expect(world.here.users.map(\.name) == world.there.users.map(\.name), "seed \(seed)")
      for watch in world.watches.withLock({ $0 }) {
        #expect(watch.name.seen.last == watch.person.name, "seed \(seed)")
        #expect(watch.current.seen.last == world.here.currentName, "seed \(seed)")
      }
      let watches = world.watches.withLock { $0 }
      gone.withLock { $0 = world.loose.map { Gone($0) } + watches.map { Gone($0.person) } + [Gone(world.here)] }
    }
    world = nil
    #expect(gone.withLock { $0 }.allSatisfy { $0.object == nil }, "seed \(seed)")
    #expect(pair.here.handle.digest() == pair.there.handle.digest(), "seed \(seed)")
  }

  @MainActor @Test func `leave no observer, binding, derived property or model behind`() throws {
    let pair = Pair()
    var roster: Roster? = try pair.here.space.model(Roster.self, named: "roster", isolation: nil)
    weak let model = roster
    roster?.add("Ada")
    var user = roster?.users.first
    weak let element = user
    var binding = user.map { Bindable($0).name.animation() }
    let watch = roster.map { roster in Watch { [weak roster] in roster?.currentName } }
    binding?.wrappedValue = "Grace"
    _ = roster?.currentName
    #expect(watch?.runs == 2)
    user = nil
    roster = nil
    #expect(model == nil)
    #expect(binding?.wrappedValue == "Grace")
    binding = nil
    #expect(element == nil)
  }

  private struct Gone: @unchecked Sendable {
    // Sendable: written once, before it is shared.
    weak var object: AnyObject?

    init(_ object: AnyObject) {
      self.object = object
    }
  }

  private final class Look: Sendable {
    let person: Person
    let name: Watch<String>
    let current: Watch<String>

    init(_ person: Person, in roster: Roster) {
      self.person = person
      name = Watch { person.name }
      current = Watch { roster.currentName }
    }
  }

  private final class World: Sendable {
    let here: Roster
    let there: Roster
    let loose = (0..<8).map { _ in Person() }
    let watches = Guarded<[Look]>([])

    init(_ models: (Roster, Roster)) {
      (here, there) = models
      here.add("Ada", "Grace", "Kurt", "Alan")
    }

    func live(steps: Int, _ dice: Dice, _ pair: Pair) {
      var dice = dice
      for step in 0..<steps {
        let users = here.users
        let person =
          Int.random(in: 0..<2, using: &dice) == 0 || users.isEmpty
          ? loose[Int.random(in: 0..<8, using: &dice)] : users[Int.random(in: 0..<users.count, using: &dice)]
        switch Int.random(in: 0..<16, using: &dice) {
        case 0..<4: person.name = "\(step)"
        case 4: person.name += "!"
        case 5, 6: _ = (person.name, here.currentName)
        case 7:
          withTransaction {
            person.name = "both"
            here.currentIndex = Int.random(in: 0..<4, using: &dice)
          }
        case 8: if let user = there.users.first { user.name = "there \(step)" }
        case 9: pair.exchangeExclusively()
        case 10: there.currentIndex = step % 4
        case 11, 12:
          let look = Look(person, in: here)
          watches.withLock { $0.append(look) }
        case 13, 14:
          // What is taken out goes after unlocking.
          let index = Int.random(in: 0..<64, using: &dice)
          let look = watches.withLock { $0.count > index ? $0.remove(at: index) : nil }
          withExtendedLifetime(look) {}
        default: Bindable(person).name.wrappedValue = "bound \(step)"
        }
      }
    }
  }
}
