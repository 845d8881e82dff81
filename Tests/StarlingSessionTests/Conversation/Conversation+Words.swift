@testable import StarlingSession

extension Conversation {
  /// A move that may happen now, in words.
  func words(for move: Move) -> String {
    switch move {
    case .open(let link): "\(links[link].dialler) connects to \(links[link].dialled)"
    case .deliver(let link, let lane): "\(links[link].receiver(lane)) receives \(words(for: link, lane))"
    case .learn(let place, let peer): "\(place) learns that its connection \(peer.rawValue) has ended"
    case .logged(let place): "the log of \(place) does what it was told"
    case .read(let place): "\(place) has read a page of its log"
    case .start(let place): "\(place) starts again, from its log"
    case .admit: "those are let in who were not"
    case .pass: "time passes until something is due"
    case .write(let place): "\(place) writes note \(notes.count)"
    case .cut(let link): "the connection of \(links[link].dialler) and \(links[link].dialled) ends"
    case .lose(let link, let lane): "\(words(for: link, lane)) is lost on its way to \(links[link].receiver(lane))"
    case .loggedUnheard(let place): "the log of \(place) does what it was told, and says that it has not"
    case .refused(let place): "the log of \(place) refuses what it was told"
    case .crash(let place): "\(place) crashes"
    case .stall(let place): "\(place) stands still for half a minute"
    case .fill(let place): "the disk of \(place) is full for half a minute"
    }
  }

  private func words(for link: Int, _ lane: Lane) -> String {
    let letter = links[link].queues[lane.rawValue][0]
    let sender = lane == .toDialled ? links[link].dialler : links[link].dialled
    return lane == .published ? "a frame that \(sender) published" : "'\(letter.kind)' of \(sender)"
  }
}
