import StarlingView
import Testing

@Observable @MainActor private final class DataModel {
  var name = "Some Name"
  var count = 0
}

private struct DataView: View {
  @State private var model = DataModel()

  var body: some View {
    VStack {
      TextField("Name", text: $model.name)
      Stepper("Count: \(model.count)", value: $model.count)
    }
  }
}

/// Wrappers inside a model: each keeps to itself, and its writes are seen by the views that use it as well.
@Observable @MainActor private final class SettingsModel {
  @ObservationIgnored @AppStorage("username", store: SettingsModel.store) var username = "Anonymous"
  @ObservationIgnored @SceneStorage("tab") var tab = 1
  var theme = "light"

  static let store = MemoryStore()
}

private struct SettingsView: View {
  @State private var model = SettingsModel()

  var body: some View {
    Text("\(model.username) likes it \(model.theme)")
    Button("Name") { model.username = "Maria" }
  }
}

private enum DeliveryStatus: Equatable {
  case pending
  case inTransit(stop: Int)
  case delivered
}

@Observable @MainActor private final class Order {
  var status = DeliveryStatus.pending {
    didSet { if oldValue == status { equalWrites += 1 } }
  }
  @ObservationIgnored var equalWrites = 0
}

private struct OrderView: View {
  let order: Order

  var body: some View {
    switch order.status {
    case .pending: Text("Pending")
    case .inTransit(let stop): Text("At stop \(stop)")
    case .delivered: Text("Delivered")
    }
  }
}

private struct User: Identifiable, Equatable {
  var id: Int
  var name: String
}

@Observable @MainActor private final class AppState {
  var users = [User(id: 1, name: "Ravi"), User(id: 2, name: "Maria")]
  var currentUserID = 1
  var currentUser: User? { users.first { $0.id == currentUserID } }
}

private struct CurrentUserView: View {
  let state: AppState

  var body: some View {
    Text(state.currentUser?.name ?? "Nobody")
  }
}

private struct InjectedView: View {
  @Environment(AppState.self) private var state

  var body: some View {
    @Bindable var state = state
    Text(state.currentUser?.name ?? "Nobody")
    Stepper("User", value: $state.currentUserID)
  }
}

@MainActor @Observable private final class Game {
  private var scores: [String: Int] = ["Ravi": 1, "Maria": 2]

  subscript(scoreFor player: String) -> Int {
    get { scores[player] ?? 0 }
    set { scores[player] = newValue }
  }
}

private struct PlayerScoreRow: View {
  let name: String
  @Binding var score: Int

  var body: some View {
    Stepper("\(name): \(score)", value: $score)
  }
}

private struct ScoresView: View {
  @Bindable var game: Game

  var body: some View {
    PlayerScoreRow(name: "Ravi", score: $game[scoreFor: "Ravi"])
    PlayerScoreRow(name: "Maria", score: $game[scoreFor: "Maria"])
  }
}

private struct EditUserView: View {
  @Binding var user: User

  var body: some View {
    Form {
      TextField("Name", text: $user.name)
    }
  }
}

private struct UserEditor: View {
  @State private var user = User(id: 1, name: "Ravi")

  var body: some View {
    EditUserView(user: $user)
    Text("Hello, \(user.name)")
  }
}

@MainActor @Suite struct `A model in views` {
  @Test func `row 174: is edited by fields and steppers`() throws {
    let host = HeadlessHost { DataView() }
    try host.increment("Count: 0")
    try host.type("Ravi", into: "Name")
    #expect(host.text == ["Name: Ravi", "Count: 1"])
  }

  @Test func `row 175: keeps other wrappers beside its properties`() throws {
    let host = HeadlessHost { SettingsView() }
    #expect(host.text.first == "Anonymous likes it light")
    try host.tap("Name")
    #expect(host.text.first == "Maria likes it light")
    #expect(host.evaluations(of: SettingsView.self) == 2)
  }

  @Test func `row 176: shows a status, and an equal one is no news`() {
    let order = Order()
    let host = HeadlessHost { OrderView(order: order) }
    order.status = .inTransit(stop: 1)
    #expect(host.text == ["At stop 1"])
    let evaluations = host.evaluations(of: OrderView.self)
    order.status = .inTransit(stop: 1)
    #expect(host.evaluations(of: OrderView.self) == evaluations)
    order.status = .delivered
    #expect(host.text == ["Delivered"])
  }

  @Test func `row 177: computes the current user from the others`() {
    let state = AppState()
    let host = HeadlessHost { CurrentUserView(state: state) }
    #expect(host.text == ["Ravi"])
    state.users[0].name = "Ravi K."
    #expect(host.text == ["Ravi K."])
    state.currentUserID = 2
    #expect(host.text == ["Maria"])
  }

  @Test func `row 179: has a binding for each player`() throws {
    let game = Game()
    let host = HeadlessHost { ScoresView(game: game) }
    try host.increment("Ravi: 1")
    #expect(host.text == ["Ravi: 2", "Maria: 2"])
    #expect(host.evaluations(of: ScoresView.self) == 1)
  }

  @Test func `row 180: is edited in a form`() throws {
    let host = HeadlessHost { UserEditor() }
    try host.type("Maria", into: "Name")
    #expect(host.text == ["Name: Maria", "Hello, Maria"])
  }

  @Test func `row 184: comes by its type`() throws {
    let state = AppState()
    let host = HeadlessHost { InjectedView().environment(state) }
    try host.increment("User")
    #expect(host.text == ["Maria", "User"])
    #expect(state.currentUserID == 2)
  }
}
