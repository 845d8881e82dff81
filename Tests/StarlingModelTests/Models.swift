import Foundation
import StarlingModel

enum Shelf: String {
  case front
  case back
}

struct Size: Codable, Equatable, Sendable {
  var width = 1
  var height = 2
}

@Replicated final class Book: Sendable {
  var title = "A sample book"
  var isAvailable = true
  var copies: ReplicatedCounter = 0
  var tags: Set<String> = []
  var prices: [String: Int] = [:]
  var subtitle: String?
  var shelf = Shelf.front
  var otherShelf: Shelf?
  var size = Size()
  var pages: UInt64 = 0
  var weight = 1.5
  var cover = Data()
  var printed = Date(timeIntervalSinceReferenceDate: 0)
  var number: UUID?
  var page: URL?
  var keywords: ReplicatedSet<String> = []
  var loans: ReplicatedDictionary<String, Int> = [:]
  @Local var isExpanded = false
  @ReplicatedIgnored let note = "left alone"
  let constant = 7
  static let shared = 8
  var shouted: String { title.uppercased() }
}

@Replicated final class Author: Sendable {
  var name = "Nobody"
}

@Replicated final class Library: Sendable {
  var address = Author()
  var owner: Author?
  var favourite: ReplicatedReference<Author> = nil
  var authors: ReplicatedDictionary<String, Author> = [:]
}
