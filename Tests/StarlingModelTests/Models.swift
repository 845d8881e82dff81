import Foundation
public import StarlingModel
import Synchronization

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

/// Of one test alone, which counts its instances.
@Replicated final class Card: Sendable {
  /// How many instances were ever made.
  static let made = Atomic<Int>(0)

  var name = "Nobody"
  @ReplicatedIgnored let number = made.wrappingAdd(1, ordering: .relaxed).newValue
}

@Replicated final class Drawer: Sendable {
  var cards: ReplicatedDictionary<String, Card> = [:]
}

@Replicated final class Library: Sendable {
  var address = Author()
  var owner: Author?
  var favourite: ReplicatedReference<Author> = nil
  var authors: ReplicatedDictionary<String, Author> = [:]
}

@MainActor @Replicated final class Screen {
  var title = "Home"
  var count: ReplicatedCounter = 0
  var log: [String] { entries.value }
  @ReplicatedIgnored private let entries = Entries()
  var width = 1 {
    willSet { entries.value.append("will \(newValue)") }
    didSet { entries.value.append("did \(oldValue) \(width)") }
  }
  var limited = 0 {
    didSet { if limited > 10 { limited = 10 } }
  }
  weak var owner: Entries?
  @Doubled var size = 1
  lazy var cache = "made when asked"

  final class Entries {
    var value: [String] = []
  }
}

@Replicated final class Parcel: Sendable {
  var weight = 1
  var label: String?
  var marks: Set<String> = []
  var `default` = 0
  var size = 7
  var note: String

  init(isHeavy: Bool) {
    if isHeavy { weight = 10 }
    self.default = 3
    note = ""
    label = "w"
    label = "x"
    marks.insert("y")
    weight += 1
  }

  init(size: Int) {
    note = "none"
    self.size = size
  }
}

/// Each is numbered by its default.
@Replicated final class Voucher: Sendable {
  private static let count = Atomic(0)
  @Local var number = Voucher.count.add(1, ordering: .relaxed).newValue

  init(adding more: Int) { number += more }
}

@Replicated public final class Letter: Sendable {
  public var subject: String
  public private(set) var words: Int
  var to = ""

  public init(subject: String) {
    to = "first"
    self.subject = subject
    words = subject.count
    to += "!"
    words += 1
  }
}

@Replicated final class Branches: Sendable {
  var main: Library?
}

@Replicated final class Plain: Sendable {
  /// Without `Equatable`.
  struct Point: Codable, Sendable {
    var x = 0
    var y = 0
  }

  var point = Point()
  var points: [String: Point] = [:]
}

/// A property wrapper that knows nothing of models.
@propertyWrapper struct Doubled {
  private var stored: Int

  init(wrappedValue: Int) {
    stored = wrappedValue
  }

  var wrappedValue: Int {
    get { stored }
    set { stored = newValue * 2 }
  }

  var projectedValue: String { "wrapped" }
}
