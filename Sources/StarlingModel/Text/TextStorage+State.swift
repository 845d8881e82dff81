import StarlingCore
import StarlingGraph

// What is done to a text under its lock.

extension TextStorage.State {
  /// Takes the steps of a write, each here and, by `perform`, in the document.
  ///
  /// - Parameter perform: false where the document refused.
  mutating func take(
    _ steps: some Collection<TextStorage.Step>, _ version: Int?, _ done: inout TextStorage.Done,
    _ perform: (TextStorage.Step, inout Alignment) -> Bool
  ) {
    if let version, version != self.version {
      done.isStale = true
      return
    }
    let formerCount = buffer.count
    defer { done.countChanged = buffer.count != formerCount }
    for step in steps {
      switch step {
      case .replace(let range, let text):
        let range = range.clamped(to: 0..<buffer.count)
        // An equal text is no edit.
        if range.isEmpty == text.isEmpty, isSame(text, in: range) { continue }
        guard perform(.replace(range, text), &alignment) else { return }
        replace(range, with: text, &done)
      case .mark(var mark):
        mark.range = mark.range.clamped(to: 0..<buffer.count)
        if mark.range.isEmpty || !done.isAltered && shows(mark) { continue }
        guard perform(.mark(mark), &alignment) else { return }
        self.mark(mark, &done)
      }
    }
  }

  private func isSame(_ text: String, in range: Range<Int>) -> Bool {
    range.count == text.unicodeScalars.count && buffer.text(range).isSame(as: text)
  }

  private mutating func replace(_ range: Range<Int>, with text: String, _ done: inout TextStorage.Done) {
    let arrived = buffer.replace(range, with: text)
    if !looseMarks.isEmpty { looseMarks = looseMarks.map { $0.shifted(by: range, with: arrived) } }
    if done.isFollowed { done.edits.append(.replace(range, with: text)) }
    done.isAltered = true
    done.isTextAltered = true
    change()
    showLooseMarks(&done)
  }

  private mutating func mark(_ mark: LooseMark, _ done: inout TextStorage.Done) {
    if isLoose { looseMarks.append(mark) }
    if done.isFollowed { done.edits.append(.format(mark.range)) }
    done.isAltered = true
    change()
    showLooseMarks(&done)
  }

  private mutating func change() {
    string = nil
    version += 1
  }

  private mutating func showLooseMarks(_ done: inout TextStorage.Done) {
    guard !looseMarks.isEmpty else { return }
    show(LooseMark.resolve(looseMarks.filter { !$0.range.isEmpty }), &done)
  }

  private mutating func show(_ marks: [MarkedRange], _ done: inout TextStorage.Done) {
    if self.marks == marks { return }
    self.marks = marks
    done.marksChanged = true
  }

  private func shows(_ mark: LooseMark) -> Bool {
    let peers = marks.filter { $0.name == mark.name && $0.range.overlaps(mark.range) }
    if mark.value == .null { return peers.isEmpty }
    return peers.contains {
      $0.value == mark.value && $0.range.lowerBound <= mark.range.lowerBound
        && mark.range.upperBound <= $0.range.upperBound
    }
  }

  // MARK: In the document

  var holdsMarks: Bool { !marks.isEmpty || !looseMarks.isEmpty }

  /// The marks of the document, where the text that they lie on is visible.
  mutating func readMarks(of text: ObjectID, _ document: borrowing Document, _ done: inout TextStorage.Done) {
    looseMarks = []
    var found = document.marks(in: text)
    if !alignment.isSettled {
      found = found.compactMap { mark in
        let range = alignment.visibleRange(of: mark.range)
        return range.isEmpty ? nil : MarkedRange(range: range, name: mark.name, value: mark.value)
      }
    }
    show(found, &done)
  }

  /// The first write on top of a default: from now on the document says what is there, unless another replica has
  /// said so already.
  mutating func leaveDefault(
    _ storage: TextStorage, _ owner: Attachment, _ document: inout Document, _ patch: inout Patch
  ) {
    showsDefault = false
    defer { looseMarks = [] }
    guard storage.isUnwritten(in: document) else { return }
    plant(under: storage.key, of: owner.object, in: storage.object, isDefault: true, &document, &patch)
  }

  /// Belongs from now on to a document that shows nothing yet.
  mutating func settle(besideItems count: Int) {
    isLoose = false
    alignment = Alignment(visible: buffer.count, document: count)
    showsDefault = buffer.count > 0
  }

  /// Writes all of the text.
  mutating func plant(
    under key: Key, of owner: ObjectID, in text: ObjectID, isDefault: Bool, _ document: inout Document,
    _ patch: inout Patch
  ) {
    if isDefault { document.set(.derived(.text), for: key, in: owner, patch: &patch) }
    document.removeItems(0..<document.count(in: text), in: text, patch: &patch)
    document.insert(buffer.string, at: 0, in: text, patch: &patch)
    isLoose = false
    alignment = Alignment(both: buffer.count)
    for mark in looseMarks { mark.perform(in: text, &document, alignment, &patch) }
  }

  /// Shows what the document holds.
  mutating func catchUp(with text: ObjectID, _ document: borrowing Document, _ done: inout TextStorage.Done) {
    showsDefault = false
    looseMarks = []
    let formerCount = buffer.count
    defer { done.countChanged = buffer.count != formerCount }
    var (visible, index) = (0, 0)
    for piece in alignment.pieces {
      switch piece.standing {
      case .both: visible += piece.count
      case .gone: replace(visible..<visible + piece.count, with: "", &done)
      case .new:
        replace(visible..<visible, with: document.text(index..<index + piece.count, in: text), &done)
        visible += piece.count
      }
      index += piece.documentCount
    }
    alignment = Alignment(both: buffer.count)
    if let unseen = unseenMarks?.clamped(to: 0..<buffer.count), !unseen.isEmpty, done.isFollowed {
      done.edits.append(.format(unseen))
    }
    unseenMarks = nil
    readMarks(of: text, document, &done)
  }

  /// Notes an edit that is not visible yet.
  mutating func note(_ edit: SequenceEdit) {
    alignment.note(edit)
    switch edit {
    case .insert(let index, let count): unseenMarks = unseenMarks?.shifted(by: index..<index, with: count)
    case .remove(let index, let count): unseenMarks = unseenMarks?.shifted(by: index..<index + count, with: 0)
    case .move: break
    case .mark(let index, let count):
      let range = index..<index + count
      let known = unseenMarks ?? range
      unseenMarks = min(known.lowerBound, range.lowerBound)..<max(known.upperBound, range.upperBound)
    }
  }
}

extension Range<Int> {
  /// The range after `count` items have come in place of others.
  fileprivate func shifted(by edited: Range<Int>, with count: Int) -> Range<Int> {
    LooseMark(range: self, name: "", value: .null, expandsLeft: true, expandsRight: true)
      .shifted(by: edited, with: count).range
  }
}

extension TextStorage.Step {
  /// Under the document's lock.
  func perform(in text: ObjectID, _ document: inout Document, _ alignment: inout Alignment, _ patch: inout Patch) {
    switch self {
    case .replace(let range, let string):
      if alignment.isSettled {
        if !range.isEmpty { document.removeItems(range, in: text, patch: &patch) }
        let count = document.insert(string, at: range.lowerBound, in: text, patch: &patch)
        return alignment.replaceSettled(range, with: count)
      }
      let count = string.unicodeScalars.count
      if range.isEmpty {
        let index = alignment.insert(count, at: range.lowerBound)
        document.insert(string, at: index, in: text, patch: &patch)
        return
      }
      // What comes in place of something stands where that stood, whatever else has come before it.
      let index = alignment.insert(count, at: range.lowerBound, isNextToFollowing: true)
      for range in alignment.remove(range.lowerBound + count..<range.upperBound + count) {
        document.removeItems(range.lowerBound - count..<range.upperBound - count, in: text, patch: &patch)
      }
      document.insert(string, at: index, in: text, patch: &patch)
    case .mark(let mark): mark.perform(in: text, &document, alignment, &patch)
    }
  }

  func weigh(into weight: inout ChangeWeight) {
    switch self {
    case .replace(_, let string): weight.add(.string(string), under: .element(.origin))
    case .mark(let mark): weight.add(mark.value, under: mark.name)
    }
  }
}

extension LooseMark {
  func perform(in text: ObjectID, _ document: inout Document, _ alignment: Alignment, _ patch: inout Patch) {
    let ranges = alignment.documentRanges(of: range)
    guard let first = ranges.first, let last = ranges.last else { return }
    document.mark(
      first.lowerBound..<last.upperBound, name, value: value, expandsLeft: expandsLeft, expandsRight: expandsRight,
      in: text, patch: &patch)
  }
}
