/// Metrics as Prometheus and its kin read them: the text format 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats).
///
/// ```
///   # HELP starling_commits_total Groups of records that the log accepted.
///   # TYPE starling_commits_total counter
///   starling_commits_total 4211
///   # HELP starling_peers Connections, by how they stand.
///   # TYPE starling_peers gauge
///   starling_peers{standing="member"} 3
/// ```
public struct Exposition: Sendable {
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// What was added, each line ended.
  public private(set) var text = ""
  private var names: Set<String> = []

  public init() {}

  public init(_ families: some Sequence<MetricFamily>) {
    for family in families { add(family) }
  }

  /// Adds all of a family, as it must be: in one piece.
  ///
  /// - Precondition: none of that name was added.
  public mutating func add(_ family: MetricFamily) {
    let name = family.name.text
    precondition(names.insert(name).inserted, "'\(name)' is added twice.")
    text += "# HELP \(name) \(family.help.escaped(quotes: false))\n# TYPE \(name) \(family.kind.rawValue)\n"
    for series in family.series {
      let labels = series.labels.map { "\($0.name.text)=\"\($0.value.escaped(quotes: true))\"" }
      switch series.reading {
      case .number(let value): add(name, labels, value)
      case .histogram(let histogram): add(histogram, name, labels)
      }
    }
  }

  /// Buckets count all that is not above their bound.
  private mutating func add(_ histogram: MetricHistogram, _ name: String, _ labels: [String]) {
    var count = 0
    for (bound, more) in zip(histogram.bounds + [.infinity], histogram.counts) {
      count += more
      add(name + "_bucket", labels + ["le=\"\(Self.text(of: bound))\""], Double(count))
    }
    add(name + "_sum", labels, histogram.sum)
    add(name + "_count", labels, Double(count))
  }

  private mutating func add(_ name: String, _ labels: [String], _ value: Double) {
    let braced = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
    text += "\(name)\(braced) \(Self.text(of: value))\n"
  }

  /// As Go's `ParseFloat` reads it, which the format refers to.
  static func text(of value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
    // Whole numbers read better without a fraction, as far as each is one.
    return value.magnitude < 0x1p53 && value == value.rounded(.towardZero) ? "\(Int64(value))" : "\(value)"
  }
}

extension String {
  /// With backslashes and line feeds written out, and quotation marks where the text stands between such.
  fileprivate func escaped(quotes: Bool) -> String {
    var escaped = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\n": escaped += "\\n"
      case "\"" where quotes: escaped += "\\\""
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
