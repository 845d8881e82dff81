/// One metric: its name, what it means, and what was read of it, once for each set of labels.
///
/// Names and labels are the program's own. Values of labels may come from elsewhere, and so may their number: a family
/// takes so many series and counts the others, so that nobody can make whoever collects them remember without bound.
public struct MetricFamily: Sendable, Hashable {
  public enum Kind: String, Sendable, Hashable {
    /// Only grows, until the process starts again.
    case counter
    case gauge
    case histogram
  }

  public struct Series: Sendable, Hashable {
    public var labels: [MetricLabel]
    public var reading: MetricReading
  }

  public static let seriesCountMax = 64

  public let name: MetricName
  public let kind: Kind
  /// In a sentence, with the unit; plain text.
  public let help: String
  public private(set) var series: [Series] = []
  /// Those beyond `seriesCountMax`.
  public private(set) var omittedCount = 0

  /// - Precondition: the name ends in `_total` if this is a counter, and in nothing that is reserved otherwise.
  public init(_ name: MetricName, _ kind: Kind, _ help: String) {
    let isTotal = name.text.hasSuffix("_total")
    precondition(isTotal == (kind == .counter), "A counter's name ends in _total, and no other's: '\(name.text)'.")
    let reserved = ["_bucket", "_sum", "_count", "_info"]
    precondition(
      !reserved.contains { name.text.hasSuffix($0) }, "'\(name.text)' ends as a part of another metric does.")
    self.name = name
    self.kind = kind
    self.help = help
  }

  /// Adds a series; nothing where one with the same labels stands already or there are too many.
  ///
  /// - Precondition: the reading is a histogram if the family is one. No label is named twice.
  public mutating func add(_ reading: MetricReading, _ labels: [MetricLabel] = []) {
    precondition(reading.isHistogram == (kind == .histogram), "'\(name.text)' is a \(kind.rawValue).")
    precondition(Set(labels.map(\.name)).count == labels.count, "A label of '\(name.text)' is named twice.")
    precondition(
      kind != .histogram || !labels.contains { $0.name.text == "le" }, "'le' is what buckets are told apart by.")
    let labels = labels.sorted { $0.name.text < $1.name.text }
    guard series.count < Self.seriesCountMax, !series.contains(where: { $0.labels == labels }) else {
      omittedCount += 1
      return
    }
    series.append(Series(labels: labels, reading: reading))
  }
}

/// What was read of one series.
public enum MetricReading: Sendable, Hashable {
  case number(Double)
  case histogram(MetricHistogram)

  fileprivate var isHistogram: Bool { if case .histogram = self { true } else { false } }
}

/// How amounts are spread.
public struct MetricHistogram: Sendable, Hashable {
  /// The upper bounds of all buckets but the last, ascending and finite.
  public let bounds: [Double]
  /// How many amounts fell into each bucket, and beyond all bounds: one more.
  public let counts: [Int]
  public let sum: Double

  /// - Precondition: there is one count more than there are bounds, and these ascend.
  public init(bounds: [Double], counts: [Int], sum: Double) {
    precondition(counts.count == bounds.count + 1, "\(bounds.count) bounds have \(counts.count) counts.")
    precondition(
      bounds.allSatisfy(\.isFinite) && zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 },
      "The bounds \(bounds) do not ascend.")
    self.bounds = bounds
    self.counts = counts
    self.sum = sum
  }

  public var count: Int { counts.reduce(0, +) }
}

/// Letters, digits, underscores and colons, no digit first.
public struct MetricName: Sendable, Hashable, ExpressibleByStringLiteral {
  public let text: String

  /// Nil for what is no name.
  public init?(_ text: String) {
    guard text.utf8.isName(allowing: UInt8(ascii: ":")) else { return nil }
    self.text = text
  }

  /// - Precondition: it is a name.
  public init(stringLiteral text: String) {
    precondition(Self(text) != nil, "'\(text)' is no name of a metric.")
    self.text = text
  }
}

/// Letters, digits and underscores, no digit first; not two underscores first, which are the collector's own.
public struct MetricLabelName: Sendable, Hashable, ExpressibleByStringLiteral {
  public let text: String

  /// Nil for what is no name.
  public init?(_ text: String) {
    guard text.utf8.isName(allowing: nil), !text.hasPrefix("__") else { return nil }
    self.text = text
  }

  /// - Precondition: it is a name.
  public init(stringLiteral text: String) {
    precondition(Self(text) != nil, "'\(text)' is no name of a label.")
    self.text = text
  }
}

/// What tells the series of a family apart.
public struct MetricLabel: Sendable, Hashable {
  public static let valueByteCountMax = 256

  public let name: MetricLabelName
  public let value: String

  /// - Parameters:
  ///   - name: The name of the label.
  ///   - value: any text; what exceeds `valueByteCountMax` bytes is cut off.
  public init(_ name: MetricLabelName, _ value: String) {
    self.name = name
    guard value.utf8.count > Self.valueByteCountMax else {
      self.value = value
      return
    }
    // As many whole characters as have space; one may be longer than all of it.
    var cut = ""
    var byteCount = 0
    for scalar in value.unicodeScalars {
      byteCount += scalar.utf8.count
      guard byteCount <= Self.valueByteCountMax else { break }
      cut.unicodeScalars.append(scalar)
    }
    self.value = cut
  }
}

extension String.UTF8View {
  fileprivate func isName(allowing other: UInt8?) -> Bool {
    guard let first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
    return allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: byte == other
      }
    }
  }
}
