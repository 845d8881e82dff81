/// Why bytes were refused: what is wrong with them, where, and what to do about it.
public struct WireError: Error, Hashable, Sendable {
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// The bytes end before the thing they began.
    case truncated
    /// A byte that nothing gives a meaning to, a text that is not UTF-8, a number outside its range.
    case malformed
    /// A number or form that has a shorter spelling, which alone is valid.
    case overlong
    /// More than the reader's limits allow. Nothing was allocated for it.
    case tooLarge
    /// A chain of objects longer than the reader's limits allow.
    case tooDeep
    /// Written in a version of the format that this program does not read.
    case unsupportedVersion
    /// More bytes follow after the end.
    case trailingBytes
    /// Entries that must ascend do not.
    case outOfOrder
    /// An index into a table that does not reach that far: the reader's tables are not the writer's.
    case unknownIndex
    /// The decoder refused an earlier payload of the stream, so its tables are not the writer's any more.
    case brokenStream
  }

  public let code: Code
  /// Where the trouble begins, counted from the first of the bytes given to the decoder.
  public let offset: Int
  /// What, where and what to do, for people.
  public let message: String

  init(_ code: Code, at offset: Int, _ what: String) {
    self.code = code
    self.offset = offset
    message = "\(what), at byte \(offset). \(code.remedy)"
  }
}

extension WireError: CustomStringConvertible {
  public var description: String { message }
}

extension WireError.Code {
  fileprivate var remedy: String {
    switch self {
    case .truncated: "Fetch the bytes again; something cut them."
    case .malformed, .overlong, .trailingBytes, .outOfOrder:
      "Fetch the bytes again; if they come alike, the program that wrote them has a fault."
    case .tooLarge, .tooDeep: "Raise the limit of this reader, or write less at once."
    case .unsupportedVersion: "Update this program."
    case .unknownIndex, .brokenStream: "Ask the sender for what is missing and for its tables."
    }
  }
}
