public import StarlingCore

/// An operation of a document that has two contents, and so a writer that gave one name to two operations
/// (Protocol/conversation.md, "Writers that are suspended").
public struct EquivocationReport: Hashable, Sendable {
  public var dot: Dot
  public var document: DocumentID

  public init(_ dot: Dot, in document: DocumentID) {
    self.dot = dot
    self.document = document
  }

  /// How many are in one message.
  public static let countMax = 1024
}

extension EquivocationReport: Comparable {
  /// By replica, counter, and the bytes of the document's name.
  public static func < (left: EquivocationReport, right: EquivocationReport) -> Bool {
    if left.dot != right.dot { return left.dot < right.dot }
    return left.document.name.utf8.lexicographicallyPrecedes(right.document.name.utf8)
  }
}

extension [UInt8] {
  mutating func append(_ reports: [EquivocationReport]) {
    append(varint: reports.count)
    for report in reports {
      append(report.dot)
      append(counted: report.document.name)
    }
  }
}

extension Reader {
  mutating func equivocations() throws(WireError) -> [EquivocationReport] {
    // The shortest has a replica id, a counter, and a name of one byte with its length.
    let count = try count(atMost: EquivocationReport.countMax, ofSize: 11)
    var reports: [EquivocationReport] = []
    reports.reserveCapacity(count)
    for _ in 0..<count {
      let start = offset
      let report = EquivocationReport(try dot(), in: try document())
      if let last = reports.last, report <= last {
        throw error(.outOfOrder, "\(report.dot) of '\(report.document)' follows \(last.dot)", at: start)
      }
      reports.append(report)
    }
    return reports
  }
}
