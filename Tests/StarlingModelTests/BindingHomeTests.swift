import Observation
import StarlingBinding
import StarlingGraph
import StarlingModel
import StarlingTestSupport
import Testing

@MainActor @Suite struct `A binding to an observable object of an actor` {
  /// No replicated one: nothing but the place where its binding is made says where it is at home.
  @MainActor @Observable final class Account {
    var owner = "Ada" { didSet { wasHome.append(MainActor.shared.isCurrent) } }
    private(set) var wasHome: [Bool] = []
  }

  /// Says nothing of an actor, so neither does its initializer.
  private struct AccountField {
    @Bindable var account: Account
  }

  @Test(arguments: [true, false]) func `row 47: used off the main actor writes there, and is reported`(
    isMadeHere: Bool
  ) async throws {
    let incidents = Incidents()
    let account = Account()
    let owner = isMadeHere ? Bindable(account).owner : AccountField(account: account).$account.owner
    #expect(owner.wrappedValue == "Ada")
    let read = await Task.detached {
      owner.wrappedValue = "Grace"
      return owner.wrappedValue
    }.value
    #expect(read == "Ada" || read == "Grace")
    #expect(await Turns.pass { account.owner == "Grace" })
    #expect(account.owner == "Grace")
    #expect(account.wasHome == [true])
    #expect(incidents.contains { "\($0)".contains("Account") && "\($0)".contains("was written off") })
    #expect(incidents.contains { "\($0)".contains("Account") && "\($0)".contains("was read off") })
  }

  @globalActor actor Archive {
    static let shared = Archive()
  }

  @Archive @Observable final class Folder {
    var label = "old" { didSet { wasHome.append(Archive.shared.isCurrent) } }
    private(set) var wasHome: [Bool] = []
    nonisolated init() {}
    func labelBinding() -> Binding<String> { Bindable(self).label }
  }

  @Test func `row 47: used off another global actor writes there`() async throws {
    let incidents = Incidents()
    let folder = Folder()
    let label = await folder.labelBinding()
    label.wrappedValue = "new"
    #expect(await Turns.pass { await folder.label != "old" })
    #expect(await folder.wasHome == [true])
    #expect(incidents.contains { "\($0)".contains("Folder") })
  }
}
