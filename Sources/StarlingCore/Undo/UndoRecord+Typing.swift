// What belongs together because somebody goes on typing, or taking away, in one place.

extension UndoRecord {
  /// Whether it goes on where `former` ended: it types behind what was typed, or takes one more character away
  /// beside the one that went. What holds a line break does neither.
  func typesOn(after former: UndoRecord) -> Bool {
    switch (former, self) {
    case (.inserted(let former), .inserted(let undoRecord)): return undoRecord.typedBehind == former.last
    case (.removed(let former), .removed(let pieces)):
      guard let former = former.onlyCharacter, let piece = pieces.onlyCharacter,
        piece.location.id == former.location.id, !Scalars(piece.text).holdsLineBreak
      else { return false }
      // Backwards, what stands behind the gap stays; forwards, what stands before it.
      return piece.gap.after == former.gap.after || piece.gap.before == former.gap.before
    default: return false
    }
  }

  /// Both as one record, if they can be: a text that was typed on and whose dots run on.
  func joined(with next: UndoRecord) -> UndoRecord? {
    guard case .inserted(var undoRecord) = self, case .inserted(let more) = next, more.typedBehind == undoRecord.last,
      undoRecord.last.isFollowed(by: more.first)
    else { return nil }
    undoRecord.count += more.count
    return .inserted(undoRecord)
  }
}

extension [Piece] {
  /// The piece, if one character of a text is all that went.
  fileprivate var onlyCharacter: TextPiece? {
    guard count == 1, case .text(let piece) = self[0], !piece.text.isEmpty, piece.text.dropFirst().isEmpty else {
      return nil
    }
    return piece
  }
}

extension Scalars {
  /// Whether a new line begins somewhere in it.
  var holdsLineBreak: Bool {
    text.unicodeScalars.contains { scalar in
      switch scalar.value {
      case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
      default: false
      }
    }
  }
}

extension Dot {
  /// Whether `next` is the dot that its replica takes after this one.
  func isFollowed(by next: Dot) -> Bool { replica == next.replica && counter + 1 == next.counter }
}
