import Foundation

/// Prints figures as they come: rows of a table, or one JSON object a line.
package struct Report {
  package enum Format: String { case table, json }

  package let format: Format

  package init(format: Format) {
    self.format = format
  }

  package func begin() {
    guard format == .table else { return }
    print("case".padded(24) + "unit".padded(6) + "starling".padded(12, left: true) + "  spread".padded(20) + "peers")
  }

  package func begin(_ section: Section) {
    guard format == .table else { return }
    print("\n" + section.title)
  }

  package func add(_ figure: Figure) {
    let peers = figure.peers.sorted { $0.key < $1.key }
    switch format {
    case .json:
      let fields =
        ["\"case\": \"\(figure.name)\"", "\"unit\": \"\(figure.unit.rawValue)\""]
        + (["starling": figure.starling.median].map { $0 } + peers).map { "\"\($0.key)\": \($0.value.shortened)" }
        + figure.details.map { "\"\($0.name)\": \($0.value.json)" }
      print("{" + fields.joined(separator: ", ") + "}")
    case .table:
      let sample = figure.starling
      let spread =
        sample.least == sample.greatest ? "" : "  \(sample.least.shortened)..\(sample.greatest.shortened)"
      let others = peers.filter { !$0.key.hasSuffix("-glue") }.map { peer, value in
        "\(peer) \(value.shortened) (x\((value / sample.median).shortened))"
      }
      print(
        figure.name.padded(24) + figure.unit.rawValue.padded(6) + sample.median.shortened.padded(12, left: true)
          + spread.padded(20) + others.joined(separator: "  "))
      for note in figure.notes { print("    " + note) }
    }
    fflush(nil)
  }

  /// For the person at the terminal, whatever standard output is used for.
  package static func say(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}

extension Figure.Detail {
  fileprivate var json: String {
    switch self {
    case .text(let text): "\"\(text)\""
    case .number(let number): number.shortened
    case .numbers(let numbers): "[" + numbers.map(\.shortened).joined(separator: ", ") + "]"
    }
  }
}

extension Double {
  /// Three digits that count, and no more than two after the point.
  package var shortened: String {
    if self == rounded(), magnitude < 1e15 { return String(Int(self)) }
    return String(format: magnitude < 10 ? "%.2f" : magnitude < 100 ? "%.1f" : "%.0f", self)
  }
}

extension String {
  fileprivate func padded(_ width: Int, left: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(left ? 0 : 1, width - count))
    return left ? blanks + self : self + blanks
  }
}
