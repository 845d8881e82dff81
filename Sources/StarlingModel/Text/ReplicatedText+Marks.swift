public import StarlingCore
import StarlingGraph

/// Whether a property of a range goes on into what is inserted right beside it.
public enum MarkExpansion: Hashable, Sendable {
  /// Into what comes before, behind, on both sides, or on neither: as links do.
  case before, after, both, none
}

/// A part of a text with the properties that hold for all of it.
public struct TextRun: Hashable, Sendable {
  /// Counts Unicode scalars.
  public var range: Range<Int>
  /// Its characters.
  public var text: String
  /// The marks that cover it, by name.
  public var marks: [String: Value]

  /// A run of characters that the same marks cover.
  public init(range: Range<Int>, text: String, marks: [String: Value] = [:]) {
    self.range = range
    self.text = text
    self.marks = marks
  }
}

extension ReplicatedText {
  /// Gives a range a property; nil takes it away. Nothing is sent where all of the range has it with this value.
  ///
  /// - Parameters:
  ///   - range: The characters to mark, by their offsets.
  ///   - name: Which property of the characters, as "bold".
  ///   - value: Its value.
  ///   - expanding: whether what is inserted right beside the range gets it too; bold goes on behind, as where somebody
  ///     types on, a link does not.
  public func mark<Content: ReplicatedValue>(
    _ range: Range<Int>, _ name: String, _ value: Content?, expanding: MarkExpansion = .after
  ) {
    storage.write([
      .mark(
        LooseMark(
          range: range, name: .name(name), value: value?.replicated ?? .null,
          expandsLeft: expanding == .before || expanding == .both,
          expandsRight: expanding == .after || expanding == .both))
    ])
  }

  /// Takes a property away.
  public func unmark(_ range: Range<Int>, _ name: String) {
    mark(range, name, Bool?.none)
  }

  /// The properties of the text, each over ranges as long as they can be, by where they begin. Depends on the
  /// marks and not on the text.
  public var marks: [MarkedRange] { storage.marks }

  /// The text cut where its properties change.
  public var runs: [TextRun] {
    let marks = storage.marks
    let count = storage.count
    let borders = Set([0, count] + marks.flatMap { [$0.range.lowerBound, $0.range.upperBound] }).sorted()
    return zip(borders, borders.dropFirst()).map { start, end in
      var run = TextRun(range: start..<end, text: self[start..<end])
      for mark in marks where mark.range.contains(start) {
        if case .name(let name) = mark.name { run.marks[name] = mark.value }
      }
      return run
    }
  }
}
