import StarlingModelTestSupport
import StarlingTestSupport
import StarlingCore
import StarlingEngine
import StarlingModel
import Testing

/// Writes upon what is not visible yet: two replicas edit at random while deliveries are held back, each checked
/// against a plain value that only its own edits and the deliveries alter; in the end both are equal.
@Suite struct `What is written before a merge is delivered` {
  let pair = Pair()

  @Test(arguments: 0..<20) func `falls where its writer saw it in a text`(seed: UInt64) throws {
    var random = Dice(seed: seed)
    let (here, there) = try pair.models(Note.self)
    here.body.append("The quick brown fox")
    pair.exchange()
    let (near, far) = (Editor(of: here.body), Editor(of: there.body))
    for round in 0..<12 {
      pair.here.space.withConsistentRead {
        pair.there.space.withConsistentRead {
          for step in 0..<6 {
            for note in [here, there] {
              edit(note.body, "\(round).\(step)", &random, "seed \(seed)")
            }
            if Bool.random(using: &random) { pair.exchange() }
          }
          pair.exchange()
        }
      }
      #expect(here.body.string == there.body.string, "seed \(seed), round \(round)")
      #expect(here.body.marks == there.body.marks, "seed \(seed), round \(round)")
    }
    #expect(near.text == here.body.string, "seed \(seed)")
    #expect(far.text == there.body.string, "seed \(seed)")
  }

  /// Applies what it hears of a text to a copy of its own.
  private final class Editor: Sendable {
    private let copy: ReplicatedText
    private let following: TextFollowing

    init(of text: ReplicatedText) {
      let copy = ReplicatedText(text.string)
      self.copy = copy
      following = text.onEdit { edits in
        for case .replace(let range, let text) in edits.edits { copy.replace(range, with: text) }
      }
    }

    var text: String { copy.string }
  }

  private func edit(_ text: ReplicatedText, _ new: String, _ random: inout Dice, _ comment: Comment) {
    var plain = Array(text.string.unicodeScalars)
    let start = Int.random(in: 0...plain.count, using: &random)
    let end = min(plain.count, start + Int.random(in: 0...5, using: &random))
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      text.insert(new, at: start)
      plain.insert(contentsOf: new.unicodeScalars, at: start)
    case 1:
      text.remove(start..<end)
      plain.removeSubrange(start..<end)
    case 2:
      text.replace(start..<end, with: new)
      plain.replaceSubrange(start..<end, with: new.unicodeScalars)
    default: text.mark(start..<end, "bold", Bool.random(using: &random) ? true : nil)
    }
    #expect(Array(text.string.unicodeScalars) == plain, comment)
  }

  @Test(arguments: 0..<20) func `falls on the elements that its writer saw in an array`(seed: UInt64) throws {
    var random = Dice(seed: seed)
    let (here, there) = try pair.models(Album.self)
    let (nearWords, farWords) = try pair.models(Novel.self, named: "words")
    here.songs.append(contentsOf: ["a", "b", "c", "d", "e"])
    nearWords.words = ["a", "b", "c", "d", "e"]
    pair.exchange()
    for round in 0..<12 {
      pair.here.space.withConsistentRead {
        pair.there.space.withConsistentRead {
          for step in 0..<6 {
            for (album, novel) in [(here, nearWords), (there, farWords)] {
              edit(album.songs, "\(round).\(step)", &random, "seed \(seed)")
              edit(&novel.words, "\(round).\(step)", &random)
            }
            if Bool.random(using: &random) { pair.exchange() }
          }
          pair.exchange()
        }
      }
      #expect(Array(here.songs) == Array(there.songs), "seed \(seed), round \(round)")
      #expect(nearWords.words == farWords.words, "seed \(seed), round \(round)")
    }
    for index in here.songs.indices { #expect(here.songs.index(of: here.songs.id(at: index)) == index) }
  }

  private func edit(
    _ songs: ReplicatedArray<String>, _ new: String, _ random: inout Dice, _ comment: Comment
  ) {
    var plain = Array(songs)
    let start = Int.random(in: 0...plain.count, using: &random)
    let place = plain.isEmpty ? 0 : Int.random(in: 0..<plain.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 1 where !plain.isEmpty:
      songs.remove(at: place)
      plain.remove(at: place)
    // An element that another replica has removed takes neither a move nor a value.
    case 2 where !plain.isEmpty:
      songs.move(from: place, to: min(start, plain.count - 1))
      return #expect(songs.count == plain.count, comment)
    case 3 where !plain.isEmpty:
      songs[place] = new
      return #expect(songs.count == plain.count, comment)
    default:
      songs.insert(new, at: start)
      plain.insert(new, at: start)
    }
    #expect(Array(songs) == plain, comment)
  }

  private func edit(_ words: inout [String], _ new: String, _ random: inout Dice) {
    let place = words.isEmpty ? 0 : Int.random(in: 0..<words.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 1 where !words.isEmpty: words.remove(at: place)
    case 2: words.shuffle(using: &random)
    case 3 where !words.isEmpty: words[place] = new
    default: words.insert(new, at: place)
    }
  }
}
