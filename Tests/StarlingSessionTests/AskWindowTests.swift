import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `The asks that one peer has to answer` {
  var window = AskWindow()

  private func ask(_ number: Int) -> AskWindow.Ask {
    AskWindow.Ask(
      document: DocumentNumber(place: number),
      want: Message.Want(document: Sender.document, request: UInt32(number), version: VersionVector()))
  }

  private mutating func fill(upTo count: Int) -> [Bool] { (0..<count).map { window.add(ask($0)) } }

  private mutating func placesInTurn(_ isAsked: (AskWindow.Ask) -> Bool) -> [Int] {
    var places: [Int] = []
    while let ask = window.next(isAsked) { places.append(ask.document.place) }
    return places
  }

  @Test mutating func `go out at once while few are under way, and wait their turn after that`() {
    let mayGo = fill(upTo: AskWindow.countMax + 3)
    #expect(mayGo == Array(repeating: true, count: AskWindow.countMax) + [false, false, false])
    #expect(placesInTurn { _ in true } == [], "nothing has ended")
    window.review { $0.document.place > 1 }
    let mayPass = window.add(ask(1000))
    #expect(!mayPass, "which comes behind those that wait")
    #expect(placesInTurn { _ in true } == [AskWindow.countMax, AskWindow.countMax + 1])
  }

  @Test mutating func `are passed over that nobody asks any more`() {
    _ = fill(upTo: AskWindow.countMax + 3)
    window.review { _ in false }
    #expect(placesInTurn { $0.document.place == AskWindow.countMax + 2 } == [AskWindow.countMax + 2])
    window.review { _ in false }
    #expect(window.isEmpty)
  }

  @Test mutating func `are given more time once for each time that the peer answers`() {
    var taken = [window.takeAnswered()]
    window.noteAnswer()
    for _ in 1...2 { taken.append(window.takeAnswered()) }
    #expect(taken == [false, true, false])
  }
}

@Suite struct `An ask of a peer that answers others` {
  var follower = Follower()

  /// - Returns: after how many looks, just under a second apart, it is repeated.
  private mutating func looksUntilRepeated(prolonging: Bool) -> Int? {
    let request = follower.follow(follower.first).wants[0].request
    return (1...100).first { _ in
      if prolonging { follower.session.prolong(request, to: follower.first, now: follower.now) }
      return !follower.tick(after: .milliseconds(999)).wants.isEmpty
    }
  }

  @Test mutating func `is waited for longer than one of a silent peer, and not without end`() {
    let looks = looksUntilRepeated(prolonging: false)
    #expect(looks == 2)
    follower = Follower()
    let looksBesideOthers = looksUntilRepeated(prolonging: true)
    #expect(looksBesideOthers == 17)
  }

  @Test mutating func `is not waited for while it is held back`() {
    let request = follower.follow(follower.first).wants[0].request
    follower.session.hold(request, to: follower.first)
    let wantsWhileHeld = follower.tick(after: .seconds(1000)).wants
    follower.session.release(request, to: follower.first, now: follower.now)
    let wants = [999, 1].map { follower.tick(after: .milliseconds($0)).wants.count }
    #expect(wantsWhileHeld.isEmpty)
    #expect(wants == [0, 1])
  }
}
