import Starling
import StarlingView

/// A form that several processes fill in at once: start it in two terminals.
@main
struct SharedForm: App {
  @State private var replica: Replica?
  @State private var guest: Guest?
  @State private var problem: String?

  var body: some Scene {
    WindowGroup {
      if let replica, let guest {
        GuestForm(guest: guest, presence: replica.presence)
      } else {
        Text(problem ?? "Joining the others …")
          .task { await join() }
      }
    }
  }

  private func join() async {
    do {
      let replica = try await Replica.open("shared-form")
      await replica.synchronize()
      guest = try replica.model(Guest.self, named: "guest")
      self.replica = replica
    } catch {
      problem = "\(error)"
    }
  }
}

struct GuestForm: View {
  @Bindable var guest: Guest
  let presence: Presence
  @FocusState private var field: Field?

  var body: some View {
    VStack(alignment: .leading) {
      fields
      Text("Type to write · Tab goes to the next field · Esc leaves it · Ctrl+C ends").foregroundStyle(.secondary)
    }
    // What a person types at first has a field to go to.
    .defaultFocus($field, .name)
  }

  private var fields: some View {
    Form {
      Section("Guest") {
        TextField("Name", text: $guest.name)
          .focused($field, equals: .name)
        TextField("Brings", text: $guest.dish)
          .focused($field, equals: .dish)
        Toggle("Is coming", isOn: $guest.isComing)
          .focused($field, equals: .isComing)
        Stepper("With \(guest.companions) others", value: $guest.companions, in: 0...9)
          .focused($field, equals: .companions)
      }
      Section("Others") {
        Others(presence: presence)
      }
    }
    .presence($field, in: presence, as: .field)
  }
}

/// The other people who are here, and their fields. Reads presence in a scope of its own.
struct Others: View {
  let presence: Presence

  var body: some View {
    let others = presence.others(.field)
    if others.isEmpty { Text("Nobody else is in a field.") }
    ForEach(others) { other in
      Text("Somebody is in \"\(other.content.rawValue)\".")
    }
  }
}
