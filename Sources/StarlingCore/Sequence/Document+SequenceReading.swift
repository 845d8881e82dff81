// Reading lists and texts. Of objects that do not stand, or never held an item, all is empty.

extension Document {
  /// How many elements the list has, or Unicode scalars the text.
  ///
  /// - Complexity: O(1)
  public func count(in object: ObjectID) -> Int {
    sequence(of: object).map { sequences[$0].tree.count } ?? unopenedText(of: object)?.count ?? 0
  }

  // MARK: Lists

  /// The element at `index`; nil if there is none. Its value stands under `Key.element` of it.
  ///
  /// - Complexity: O(log *n*)
  public func element(at index: Int, in list: ObjectID) -> Dot? {
    guard let sequence = elementsOfList(list), index >= 0, index < sequences[sequence].tree.count else { return nil }
    return dot(sequences[sequence].element(at: sequences[sequence].tree.item(at: index)))
  }

  /// All elements in order.
  ///
  /// - Complexity: O(*n*)
  public func elements(in list: ObjectID) -> [Dot] {
    elements(0..<count(in: list), in: list)
  }

  /// The elements in a range of the list, in order.
  ///
  /// - Complexity: O(log *n* + length of the range)
  public func elements(_ range: Range<Int>, in list: ObjectID) -> [Dot] {
    guard let sequence = elementsOfList(list) else { return [] }
    var row = sequences[sequence]
    var found: [Dot] = []
    found.reserveCapacity(range.count)
    for run in row.tree.runs(in: range) {
      for offset in 0..<run.count { found.append(dot(row.element(at: run.first.advanced(by: offset)))) }
    }
    return found
  }

  /// Where the element stands; nil if it does not.
  ///
  /// - Complexity: O(log *n*)
  public func index(of element: Dot, in list: ObjectID) -> Int? {
    guard let sequence = elementsOfList(list), let slot = find(.element(element), in: list), !isHiddenElement(slot),
      let row = item(element)
    else { return nil }
    return sequences[sequence].tree.index(of: visibleItem(of: row, in: sequence))
  }

  private func elementsOfList(_ list: ObjectID) -> SequenceHandle? {
    sequence(of: list).flatMap { sequences[$0].tree.holdsText ? nil : $0 }
  }

  // MARK: Texts

  /// The text.
  ///
  /// - Complexity: O(*n*)
  public func text(in object: ObjectID) -> String {
    unopenedText(of: object)?.text ?? text(0..<count(in: object), in: object)
  }

  /// A part of the text; the range counts Unicode scalars.
  ///
  /// - Complexity: O(log *n* + length of the part)
  public func text(_ range: Range<Int>, in object: ObjectID) -> String {
    unopenedText(of: object)?.text(in: range) ?? scalarsOfText(object)?.text(in: range) ?? ""
  }

  /// How many bytes of UTF-8 the text has.
  public func utf8Count(in text: ObjectID) -> Int {
    unopenedText(of: text)?.utf8Count ?? scalarsOfText(text)?.utf8Count ?? 0
  }

  /// How many code units of UTF-16 the text has.
  public func utf16Count(in text: ObjectID) -> Int { scalarsOfText(text)?.utf16Count ?? 0 }

  /// Where the scalar at `index` begins in the text's UTF-8; the count gives its end.
  ///
  /// - Complexity: O(log *n*), as of the three others.
  public func utf8Offset(of index: Int, in text: ObjectID) -> Int {
    scalarsOfText(text)?.utf8Offset(of: index) ?? 0
  }

  /// Where the scalar at `index` begins in the text's UTF-16; the count gives its end.
  public func utf16Offset(of index: Int, in text: ObjectID) -> Int {
    scalarsOfText(text)?.utf16Offset(of: index) ?? 0
  }

  /// The scalar that holds this byte of the text's UTF-8.
  public func index(ofUTF8 offset: Int, in text: ObjectID) -> Int {
    scalarsOfText(text)?.index(ofUTF8: offset) ?? 0
  }

  /// The scalar that holds this code unit of the text's UTF-16.
  public func index(ofUTF16 offset: Int, in text: ObjectID) -> Int {
    scalarsOfText(text)?.index(ofUTF16: offset) ?? 0
  }

  private func scalarsOfText(_ text: ObjectID) -> SequenceTree? {
    if unopenedText(of: text) != nil { return withOpenText(text).treeOfText(text) }
    return treeOfText(text)
  }

  private func treeOfText(_ text: ObjectID) -> SequenceTree? {
    sequence(of: text).map { sequences[$0].tree }.flatMap { $0.holdsText ? $0 : nil }
  }

  // MARK: Cursors

  /// A place between items that survives edits: with `.left` it stays right before the item that is now at
  /// `index`, with `.right` right behind the one before it; at the ends it stays at the end.
  ///
  /// A place that nobody else hears of keeps no item: once its item was removed and `collectTombstones` has forgotten
  /// it, the place is lost, and `index(of:in:)` answers nil. A caller that keeps places for long should take them again
  /// from the index that they have.
  ///
  /// - Complexity: O(log *n*)
  public func edge(at index: Int, _ side: Side, in object: ObjectID) -> Edge {
    if unopenedText(of: object) != nil { return withOpenText(object).edge(at: index, side, in: object) }
    guard let sequence = sequence(of: object) else { return side == .left ? .end : .start }
    return edge(edgeRow(at: index, side, in: sequence))
  }

  func edgeRow(at index: Int, _ side: Side, in sequence: SequenceHandle) -> EdgeRow {
    let tree = sequences[sequence].tree
    switch side {
    case .left: return index == tree.count ? .end : EdgeRow(item: tree.item(at: index), side: .left)
    case .right: return index == 0 ? .start : EdgeRow(item: tree.item(at: index - 1), side: .right)
    }
  }

  /// How many items a reader sees before the edge; nil if its item was removed so long ago that it was collected
  /// of (`collectTombstones`), or never was one of the object's.
  ///
  /// - Complexity: O(log *n*)
  public func index(of edge: Edge, in object: ObjectID) -> Int? {
    if unopenedText(of: object) != nil { return withOpenText(object).index(of: edge, in: object) }
    guard let sequence = sequence(of: object) else { return edge.item == .origin ? 0 : nil }
    guard let item = item(edge.item), isKnown(item, in: sequence) else { return nil }
    return index(of: EdgeRow(item: item, side: edge.side), in: sequence)
  }
}
