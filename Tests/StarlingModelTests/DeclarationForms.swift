import StarlingModel

// Declarations that the language allows and the macro must take: this file is built with warnings as errors.

@globalActor actor Archive {
  static let shared = Archive()
}

/// Isolated by an actor whose name says nothing; storage that any thread might race for is safe there.
@Archive @Replicated final class Record: Sendable {
  var title = ""
  lazy var shelfMark = title + "-1"
  weak var former: Record?
}

@Replicated final class Conditional: Sendable {
  var first = 1
  #if os(Linux) || os(macOS)
    var platform = "unix"
    #if DEBUG
      var detail = "debug"
    #else
      var detail = "release"
    #endif
  #elseif os(Windows)
    var platform = "windows"
  #else
    var unknown: String
  #endif
  @Renamed(from: "end") var last = 2
  #if os(Windows)
    var absent: String
  #endif
}

@available(*, deprecated) struct Format: Codable, Sendable {
  var width = 1
}

@Replicated final class Deprecating: Sendable {
  @available(*, deprecated, message: "Use 'number'.") var isbn: String
  @available(*, deprecated, renamed: "size") var format: Format = Format() {
    didSet { if oldValue.width != format.width { changes += 1 } }
  }
  var number = 1
  @Local var changes = 0

  @available(*, deprecated) init(isbn: String) { self.isbn = isbn }
}

@available(*, deprecated) @Replicated final class Old: Sendable {
  var title = ""
}

@Replicated final class Choosing: Sendable {
  static let isLarge = true
  var width = if isLarge { 10 } else { 1 }
  var height: Int = if isLarge { 20 } else { 2 }
  @Local var name: String? =
    switch isLarge {
    case true: "large"
    case false: nil
    }
}

@Replicated final class Edition: Hashable, Identifiable, Comparable, Codable, Sendable {
  var id = 1
  public private(set) var title = ""
  static var count: Int { 1 }
  static let standard = "paper"
  var described: String { "\(id) \(title)" }

  enum CodingKeys: CodingKey { case id, title }

  convenience init(from decoder: any Decoder) throws {
    self.init()
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decode(Int.self, forKey: .id)
    title = try values.decode(String.self, forKey: .title)
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(id, forKey: .id)
    try values.encode(title, forKey: .title)
  }

  static func == (a: Edition, b: Edition) -> Bool { a.id == b.id }
  static func < (a: Edition, b: Edition) -> Bool { a.id < b.id }
  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

@propertyWrapper struct trimmed: Sendable {
  var wrappedValue = ""
}

@MainActor @Replicated final class Wrapping {
  @trimmed var wrapped
  var plain = ""
}
