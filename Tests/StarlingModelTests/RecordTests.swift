import Observation
import StarlingBinding
import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingModel
import StarlingModelTestSupport
import Testing

@ReplicatedFields struct User: Codable, Equatable, Sendable {
  struct Place: Codable, Equatable, Sendable {
    var street = ""
    var number = 0
  }

  enum Level: String, Codable {
    case guest
    case member
  }

  var name = ""
  var age = 0
  var level = Level.guest
  var home = Place()
  var tags: Set<String> = []
  var visits: ReplicatedCounter = 0
  var nickname: String?
  let kind = "user"
  var greeting: String { "\(name), \(age)" }

  private enum CodingKeys: CodingKey { case name, age, level, home, tags, nickname }
}

@Replicated final class Account: Sendable {
  var profile = ReplicatedRecord(User(name: "Nobody"))
  var note = ""
}

@Replicated final class Office: Sendable {
  var first: Account?
}

@Suite struct `A record` {
  let pair = Pair()

  @Test func `reaches the other replica field by field, whatever their types`() throws {
    let (here, there) = try pair.models(Account.self)
    here.profile.name = "Ada"
    here.profile.age += 36
    here.profile.level = .member
    here.profile.home.street = "St James's Square"
    here.profile.tags.insert("countess")
    here.profile.visits += 2
    here.profile.nickname = "A"
    pair.exchange()
    #expect(there.profile.value == here.profile.value)
    #expect(there.profile.name == "Ada")
    #expect(there.profile.age == 36)
    #expect(there.profile.level == .member)
    #expect(there.profile.home == User.Place(street: "St James's Square", number: 0))
    #expect(there.profile.tags == ["countess"])
    #expect(there.profile.visits == 2)
    #expect(there.profile.nickname == "A")
    #expect(there.profile.kind == "user")
    #expect(there.profile.greeting == "Ada, 36")
  }

  @Test func `wakes the readers of one field and of the whole, by a write here and elsewhere`() throws {
    let (here, there) = try pair.models(Account.self)
    for model in [here, there] {
      let name = Watch { model.profile.name }
      let age = Watch { model.profile.age }
      let whole = Watch { model.profile.value }
      let computed = Watch { model.profile.greeting }
      let outer = Watch { _ = model.profile }
      here.profile.age += 1
      pair.exchange()
      #expect(name.runs == 1)
      #expect(age.runs == 2)
      #expect(whole.runs == 2)
      #expect(computed.runs == 2)
      #expect(outer.runs == 1)
    }
  }

  @Test func `keeps what two replicas wrote into two of its fields`() throws {
    let (here, there) = try pair.models(Account.self)
    here.profile.name = "Ada"
    there.profile.age = 36
    there.profile.tags.insert("a")
    here.profile.tags.insert("b")
    here.profile.visits += 1
    there.profile.visits += 2
    pair.exchange()
    for model in [here, there] {
      #expect(model.profile.value == User(name: "Ada", age: 36, tags: ["a", "b"], visits: 3))
    }
  }

  @Test func `shows the conflict in one field, until one is chosen`() throws {
    let (here, there) = try pair.models(Account.self)
    let count = Watch { here.profile.conflicts(of: \.name).count }
    here.profile.name = "Ada"
    there.profile.name = "Grace"
    there.profile.age = 1
    pair.exchange()
    #expect(Set(here.profile.conflicts(of: \.name).map(\.value)) == ["Ada", "Grace"])
    #expect(here.profile.conflicts(of: \.name).first?.value == here.profile.name)
    #expect(here.profile.conflicts(of: \.age).isEmpty)
    #expect(count.seen == [0, 2])
    let name = here.profile.name
    here.profile.name = name
    pair.exchange()
    #expect(there.profile.conflicts(of: \.name).isEmpty)
    #expect(count.seen == [0, 2, 0])
  }

  @Test func `written with equal fields sends nothing and wakes nobody`() throws {
    let (here, _) = try pair.models(Account.self)
    here.profile.name = "Ada"
    _ = pair.here.handle.takeOutbox()
    let watch = Watch { here.profile.value }
    here.profile.name = "Ada"
    here.profile.tags.formUnion([])
    here.profile.home.number = 0
    here.profile.value = here.profile.value
    here.profile = here.profile
    here.profile = ReplicatedRecord(User(name: "Ada"))
    #expect(watch.runs == 1)
    #expect(pair.here.handle.takeOutbox().isEmpty)
  }

  @Test func `assigned whole sends the fields that differ, as one change`() throws {
    let (here, there) = try pair.models(Account.self)
    let age = Watch { there.profile.age }
    let handle = here.profile
    here.profile = ReplicatedRecord(User(name: "Ada", level: .member))
    let changes = pair.here.handle.takeOutbox()
    #expect(changes.count == 1)
    #expect(changes.first?.operations.count == 2)
    pair.there.handle.merge(changes)
    #expect(there.profile.value == User(name: "Ada", level: .member))
    #expect(age.runs == 1)
    handle.name = "Grace"
    #expect(here.profile.name == "Grace")
  }

  @Test func `is one change with what else its transaction writes`() throws {
    let (here, _) = try pair.models(Account.self)
    let watch = Watch { "\(here.profile.name) \(here.profile.age)" }
    withTransaction {
      here.profile.name = "Ada"
      here.profile.age = 36
      here.note = "born in London"
    }
    #expect(pair.here.handle.takeOutbox().count == 1)
    #expect(watch.seen == ["Nobody 0", "Ada 36"])
  }

  @Test func `can be written through a binding, one field at a time`() throws {
    let (here, there) = try pair.models(Account.self)
    let account = Bindable(here)
    let name = account.profile.name
    #expect(name == account.profile.name)
    #expect(name != account.profile.nickname.asText)
    let age = Watch { here.profile.age }
    name.wrappedValue = "Ada"
    account.profile.home.street.wrappedValue = "St James's Square"
    pair.exchange()
    #expect(there.profile.name == "Ada")
    #expect(there.profile.home.street == "St James's Square")
    #expect(age.runs == 1)
  }

  @Test func `on its own is observed field by field, and carries its values into a document`() throws {
    let account = Account()
    let name = Watch { account.profile.name }
    let age = Watch { account.profile.age }
    account.profile.name = "Ada"
    account.profile = ReplicatedRecord(User(name: "Grace"))
    #expect(name.seen == ["Nobody", "Ada", "Grace"])
    #expect(age.runs == 1)
    let (here, there) = try pair.models(Office.self)
    here.first = account
    pair.exchange()
    #expect(there.first?.profile.value == User(name: "Grace"))
    there.first?.profile.name = "Hopper"
    pair.exchange()
    #expect(account.profile.name == "Hopper")
    #expect(name.seen == ["Nobody", "Ada", "Grace", "Hopper"])
    #expect(age.runs == 1)
  }

  @Test func `is told apart field by field by the standard library's Observation`() throws {
    let (here, there) = try pair.models(Account.self)
    let heard = Guarded(0)
    withObservationTracking {
      _ = there.profile.name
    } onChange: {
      heard.withLock { $0 += 1 }
    }
    here.profile.age = 1
    pair.exchange()
    #expect(heard.withLock { $0 } == 0)
    here.profile.name = "Ada"
    pair.exchange()
    #expect(heard.withLock { $0 } == 1)
  }

  @Test func `outlives the model it was read from as the same record`() throws {
    var account: Account? = try pair.here.space.model(Account.self, named: "front-desk", isolation: nil)
    let profile = try #require(account).profile
    account = nil
    let again = try pair.here.space.model(Account.self, named: "front-desk", isolation: nil)
    profile.name = "Ada"
    #expect(again.profile.name == "Ada")
    let watch = Watch { profile.name }
    again.profile.name = "Grace"
    #expect(watch.seen == ["Ada", "Grace"])
  }

  @Test func `that two models were made with is copied into each`() throws {
    let shared = ReplicatedRecord(User(name: "Shared"))
    let (first, second) = (Pocket(shared), Pocket(shared))
    let (here, there) = try pair.models(Pockets.self)
    here.left = first
    here.right = second
    here.left?.profile.name = "Ada"
    pair.exchange()
    #expect(there.left?.profile.name == "Ada")
    #expect(there.right?.profile.name == "Shared")
    #expect(shared.name == "Shared")
  }
}

@Replicated final class Pocket: Sendable {
  var profile = ReplicatedRecord(User())

  init(_ profile: ReplicatedRecord<User>) { self.profile = profile }
}

@Replicated final class Pockets: Sendable {
  var left: Pocket?
  var right: Pocket?
}

extension Binding where Value == String? {
  fileprivate var asText: Binding<String> { Binding<String>(self) ?? .constant("") }
}
