import Starling
import StarlingView

/// A board of cards for several people: start it in two terminals.
@main
struct SharedBoard: App {
  @State private var replica: Replica?
  @State private var board: Board?
  @State private var undo: ReplicatedUndoManager?
  @State private var problem: String?

  var body: some Scene {
    WindowGroup {
      if let replica, let board, let undo {
        BoardView(board: board, undo: undo, presence: replica.presence)
      } else {
        Text(problem ?? "Joining the others …")
          .task { await join() }
      }
    }
  }

  private func join() async {
    do {
      let replica = try await Replica.open("shared-board")
      await replica.synchronize()
      board = try replica.model(Board.self, named: "board")
      undo = replica.models.undoManager()
      self.replica = replica
    } catch {
      problem = "\(error)"
    }
  }
}

struct BoardView: View {
  let board: Board
  let undo: ReplicatedUndoManager
  let presence: Presence
  @State private var title = ""
  @State private var problem: String?
  @FocusState private var card: String?

  var body: some View {
    VStack(alignment: .leading) {
      HStack(alignment: .top) {
        ForEach(board.columns, id: \.title) { title, column in
          ColumnView(title: title, column: column, board: board, presence: presence, focus: $card)
        }
      }
      HStack {
        TextField("New card", text: $title).onSubmit(add)
        Button("Undo") { report { try undo.undo() } }.disabled(!undo.canUndo)
        Button("Redo") { report { try undo.redo() } }.disabled(!undo.canRedo)
      }
      Text(problem ?? "Tab goes on · Space votes · Ctrl+O moves or removes a card · Ctrl+C ends").foregroundStyle(
        .secondary)
    }
    .presence($card, in: presence, as: .card)
  }

  private func add() {
    guard !title.isEmpty else { return }
    board.add(title)
    title = ""
  }

  private func report(_ body: () throws -> Bool) {
    do {
      _ = try body()
      problem = nil
    } catch {
      problem = "\(error)"
    }
  }
}

struct ColumnView: View {
  let title: String
  let column: Column
  let board: Board
  let presence: Presence
  let focus: FocusState<String?>.Binding

  var body: some View {
    VStack(alignment: .leading) {
      Text("\(title) (\(column.cards.count))").bold()
      ForEach(column.cards) { card in
        CardView(card: card, presence: presence)
          .focused(focus, equals: card.key)
          .contextMenu {
            ForEach(board.columns.filter { $0.column !== column }, id: \.title) { title, target in
              Button("Move to \(title)") { board.move(card, to: target) }
            }
            Button("Remove", role: .destructive) { board.remove(card) }
          }
      }
    }
    .frame(maxWidth: .infinity, alignment: .leading)
  }
}

/// A vote for a card wakes this view alone.
struct CardView: View {
  let card: Card
  let presence: Presence

  var body: some View {
    let others = presence.others(.card, at: card.key).count
    Button("\(card.title) +\(card.votes.value)\(String(repeating: " ◂", count: others))") { card.votes += 1 }
  }
}
