import Foundation
import Observation

/// The picture, as the views read it, and what a person does with it.
@Observable @MainActor final class Screen {
  private(set) var picture: Picture
  private(set) var size: (columns: Int, rows: Int)
  /// The title that is being written by hand; nil where none is.
  var draft: String?
  @ObservationIgnored private let start = ContinuousClock.now
  @ObservationIgnored private let send: @Sendable (HandCommand) -> Void

  /// - Parameter send: Takes what a person asks for.
  init(_ picture: Picture, size: (columns: Int, rows: Int), send: @escaping @Sendable (HandCommand) -> Void) {
    self.picture = picture
    self.size = size
    self.send = send
  }

  /// How long the picture has been shown.
  var age: Duration { ContinuousClock.now - start }

  /// What happened elsewhere.
  func update(_ change: @MainActor (inout Picture) -> Void) {
    var changed = picture
    change(&changed)
    if changed != picture { picture = changed }
  }

  /// Time passes, and the terminal may have another size.
  func advance(to now: Duration, size: (columns: Int, rows: Int)) {
    if size != self.size { self.size = size }
    update { $0.advance(to: now) }
  }

  // MARK: Keys

  func select(by step: Int) { update { $0.select($0.selected + step) } }
  func select(_ place: Int) { update { if $0.panes.indices.contains(place) { $0.select(place) } } }

  func ask(_ command: (String) -> HandCommand) { send(command(picture.selectedPane.name)) }
  func ask(_ command: HandCommand) { send(command) }

  func beginDraft() { draft = picture.selectedPane.sight.title }

  func submitDraft() {
    if let draft, !draft.isEmpty { send(.rename(picture.selectedPane.name, draft)) }
    draft = nil
  }
}

/// What a person asks for with a key.
enum HandCommand: Equatable, Sendable {
  case cut(String)
  case heal(String)
  case kill(String)
  case restart(String)
  case rename(String, String)
  case addCopies(String)
  case settle(String)
  /// Edits at full speed, or at an easy one.
  case toggleBusy
  /// Goes on with the acts.
  case next
  /// Leaves the acts, or begins them again.
  case toggleActs
  case quit
}
