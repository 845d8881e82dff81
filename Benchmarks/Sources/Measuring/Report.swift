import Foundation

/// Prints figures as they come: rows of a table, or one JSON object a line.
package struct Report {
  package enum Format: String { case table, json }

  package let format: Format
  /// Gets each figure as a line of JSON too, whatever is printed.
  private let record: FileHandle?
  private let progress: CaseProgress

  /// - Parameter record: The path of a file to which figures are added.
  package init(format: Format, record: String? = nil, caseCount: Int) throws(UsageError) {
    self.format = format
    progress = CaseProgress(count: caseCount)
    guard let record else {
      self.record = nil
      return
    }
    if !FileManager.default.fileExists(atPath: record) {
      _ = FileManager.default.createFile(atPath: record, contents: nil)
    }
    guard let file = FileHandle(forWritingAtPath: record) else {
      throw UsageError("'\(record)' cannot be written. Name a file in a folder that is there.")
    }
    _ = try? file.seekToEnd()
    self.record = file
  }

  /// A case begins: who watches sees which, how many come and how long it has taken so far.
  package func begin(_ one: Case, after done: Int) { progress.show(one.names.first ?? "", done: done) }

  package func begin() {
    guard format == .table else { return }
    print("case".padded(24) + "unit".padded(6) + "starling".padded(12, left: true) + "  spread".padded(20) + "peers")
  }

  package func begin(_ section: Section) {
    progress.clear()
    guard format == .table else { return }
    print("\n" + section.title)
  }

  package func add(_ figure: Figure) {
    let peers = figure.peers.sorted { $0.key < $1.key }
    let fields =
      ["\"case\": \"\(figure.name)\"", "\"unit\": \"\(figure.unit.rawValue)\""]
      + (["starling": figure.starling.median].map { $0 } + peers).map { "\"\($0.key)\": \($0.value.shortened)" }
      + figure.details.map { "\"\($0.name)\": \($0.value.json)" }
    let line = "{" + fields.joined(separator: ", ") + "}"
    record?.write(Data((line + "\n").utf8))
    progress.clear()
    switch format {
    case .json: print(line)
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

/// The case that is measured now, on a line of standard error that is drawn over, where that is a terminal.
private struct CaseProgress {
  private let count: Int
  private let isShown = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  private let began = Date()

  init(count: Int) {
    self.count = count
  }

  func show(_ name: String, done: Int) {
    guard isShown else { return }
    let seconds = Int(Date().timeIntervalSince(began))
    // What is left is a guess from the cases so far, which differ: not before some of them are done.
    let left = done * 10 >= count && done > 0 ? ", about \(Self.spoken(seconds * (count - done) / done)) left" : ""
    write("\r\u{1B}[K[\(done + 1)/\(count)] \(name), \(Self.spoken(seconds))\(left)")
  }

  func clear() {
    if isShown { write("\r\u{1B}[K") }
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

  private static func spoken(_ seconds: Int) -> String {
    seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
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
