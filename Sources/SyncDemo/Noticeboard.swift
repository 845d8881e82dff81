import Starling

/// The text and the list of the story: what two people do to them at once, both find done.
@MainActor struct Noticeboard {
  let library: Library

  func post(_ notice: String, _ readingList: [String]) {
    withTransaction {
      library.notice.string = notice
      library.readingList.replaceSubrange(0..<library.readingList.count, with: readingList)
    }
  }

  func insert(_ text: String, before mark: String) {
    let notice = library.notice.string
    guard let place = notice.firstRange(of: mark)?.lowerBound else { return }
    library.notice.insert(text, at: notice.unicodeScalars.distance(from: notice.startIndex, to: place))
  }

  func readFirst(_ title: String) {
    guard let place = library.readingList.firstIndex(of: title) else { return }
    library.readingList.move(from: place, to: 0)
  }

  func readLast(_ title: String) {
    library.readingList.append(title)
  }

  var report: PeerReport {
    .reads(notice: library.notice.string, readingList: Array(library.readingList))
  }
}
