import StarlingCore

extension _Replicated {
  /// What of a list is not visible yet in an array that shows the rest of it.
  ///
  /// ```
  ///   shown       a b c d      names, as of the last delivery or write
  ///   document    a X c' d     b went, X came, c has another value
  ///
  ///   alignment   [both 1] [gone 1] [new 1] [both 2]      arrivals  X      altered  c', at 2
  /// ```
  public struct ListChanges: Hashable, Sendable {
    typealias Member = FieldReading.Member

    /// Of the elements that are shown (`ShownElements`).
    let version: Int
    let alignment: Alignment
    /// What stands at the places that are new.
    private(set) var arrivals: [Member] = []
    /// Elements with another value, by the places at which they are shown, ascending.
    private(set) var altered: [Altered] = []

    struct Altered: Hashable, Sendable {
      var place: Int
      var member: Member
    }

    /// Under the document's lock. Nil where what is known of the elements does not fit what the document holds.
    ///
    /// - Complexity: O(changes · log *n*)
    init?(_ shown: borrowing ShownElements, of list: ObjectID, in document: borrowing Document) {
      guard let alignment = shown.alignment, alignment.visibleCount == shown.names.count,
        alignment.documentCount == document.count(in: list)
      else { return nil }
      version = shown.version
      self.alignment = alignment
      func member(_ dot: Dot) -> Member {
        Member(key: .element(dot), visible: document.visible(.element(dot), in: list))
      }
      let altered = shown.altered.compactMap { dot in document.index(of: dot, in: list).map { (index: $0, dot: dot) } }
        .sorted { $0.index < $1.index }
      var next = 0
      var (place, index) = (0, 0)
      for piece in alignment.pieces {
        let end = index + piece.documentCount
        switch piece.standing {
        case .gone: break
        case .new: arrivals += document.elements(index..<end, in: list).map(member)
        case .both:
          // An edit that nobody noted would let the names stand beside others.
          guard shown.names[place] == document.element(at: index, in: list),
            shown.names[place + piece.count - 1] == document.element(at: end - 1, in: list)
          else { return nil }
        }
        while next < altered.count, altered[next].index < end {
          if piece.standing == .both {
            self.altered.append(Altered(place: place + altered[next].index - index, member: member(altered[next].dot)))
          }
          next += 1
        }
        place += piece.visibleCount
        index = end
      }
    }

    /// An array that shows the changes too, after `present`, which shows the rest. `element` decodes a member, if that
    /// can be read.
    ///
    /// - Returns: Nil where `present` does not fit, or an element that it shows can be read no more: the list must be
    ///   read whole.
    /// - Complexity: O(changes) calls of `element`, and a copy of the array.
    func caughtUp<Element>(
      _ present: [Element], _ element: (Visible) -> Element?
    ) -> (content: [Element], unread: [FieldReading.Member])? {
      guard present.count == alignment.visibleCount else { return nil }
      if alignment.isSettled, altered.isEmpty { return (present, []) }
      var (content, unread): ([Element], [Member]) = ([], [])
      content.reserveCapacity(alignment.documentCount)
      var (place, arrival, next) = (0, 0, 0)
      for piece in alignment.pieces {
        let end = place + piece.visibleCount
        switch piece.standing {
        case .gone: break
        case .new:
          for member in arrivals[arrival..<arrival + piece.count] {
            if let element = element(member.visible) { content.append(element) } else { unread.append(member) }
          }
          arrival += piece.count
        case .both:
          let start = content.count - place
          content += present[place..<end]
          while next < altered.count, altered[next].place < end {
            guard let element = element(altered[next].member.visible) else { return nil }
            content[start + altered[next].place] = element
            next += 1
          }
        }
        place = end
      }
      return (content, unread)
    }
  }
}

/// What an array comes to show, on its way into its cell.
enum ListShowing {
  case whole(ElementNames, Alignment?)
  case changes(ListChanges, unread: Set<Key>)

  /// - Parameter unread: members that could not be read, and stay out of sight.
  static func whole(_ reading: FieldReading, without unread: [FieldReading.Member]) -> ListShowing {
    // Over a default no element has a name.
    if reading.isUnwritten { return .whole(ElementNames(), nil) }
    let unread = Set(unread.map(\.key))
    var dots: [Dot] = []
    dots.reserveCapacity(reading.members.count)
    var alignment = Alignment(both: 0)
    var standing = (kind: Alignment.Standing.both, count: 0)
    for member in reading.members {
      guard case .element(let dot) = member.key else { continue }
      let isRead = unread.isEmpty || !unread.contains(member.key)
      if isRead { dots.append(dot) }
      if (standing.kind == .both) != isRead {
        alignment.append(standing.kind, standing.count)
        standing = (isRead ? .both : .new, 0)
      }
      standing.count += 1
    }
    alignment.append(standing.kind, standing.count)
    return .whole(ElementNames(dots), alignment)
  }
}
