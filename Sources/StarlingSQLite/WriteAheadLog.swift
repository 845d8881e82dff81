import StarlingEngine

/// What stands in a write-ahead log, read before SQLite does: SQLite takes the first frame whose checksum is wrong for
/// the end, and what was acknowledged behind it for never written.
///
/// ```
///   header │ frame │ frame │ commit │ frame │ commit │ frame │ frame │ left over from before the last restart
///     32     24 + page                                  └─ torn: of the one transaction that was under way
///   salts    salts, sums of all before                     damage: anything else, or less than the mark says
/// ```
/// (sqlite.org/fileformat2.html, "The Write-Ahead Log")
struct WriteAheadLog {
  static let headerByteCount = 32
  private static let frameHeaderByteCount = 24
  /// "0x377f0682 or 0x377f0683": the last bit says that checksums are of words with the most significant byte first.
  private static let magic: UInt32 = 0x377F_0682

  /// Both salts; nil where there is no header, or a damaged one.
  private(set) var salts: UInt64?
  private(set) var byteCount: Int
  /// Frames up to the last commit that is whole, and where they end.
  private(set) var committedFrameCount = 0
  private(set) var committedByteCount = 0
  /// Whether whole transactions stand behind a frame that is not as it was written.
  private(set) var isInterrupted = false

  /// Nil where there is no such file.
  init?(_ path: String, on disk: any StoreDisk) throws {
    guard let identity = try disk.identity(of: path) else { return nil }
    byteCount = Int(identity.byteCount)
    guard byteCount > 0 else { return }
    let file = try disk.open(path, .reading)
    let header = try file.bytes(at: 0, count: Self.headerByteCount)
    guard header.count == Self.headerByteCount, header.word(at: 0) & ~1 == Self.magic else { return }
    let isBigEndian = header.word(at: 0) & 1 == 1
    var sums = Sums(isBigEndian: isBigEndian)
    sums.add(header[..<24])
    guard sums.first == header.word(at: 24), sums.second == header.word(at: 28) else { return }
    let salts = header.salts(at: 16)
    self.salts = salts
    committedByteCount = Self.headerByteCount
    try readFrames(of: file, pageByteCount: Int(header.word(at: 8)), salts, sums)
  }

  private mutating func readFrames(
    of file: any StoreFile, pageByteCount: Int, _ salts: UInt64, _ headerSums: Sums
  ) throws {
    guard 512...65536 ~= pageByteCount else { return }
    var sums = headerSums
    var isWhole = true
    var hasLaterCommit = false
    /// As the frame before says them.
    var stored = headerSums
    var (offset, number) = (Self.headerByteCount, 0)
    let frameByteCount = Self.frameHeaderByteCount + pageByteCount
    while true {
      let frame = try file.bytes(at: offset, count: frameByteCount)
      guard frame.count == frameByteCount else { return }
      offset += frameByteCount
      number += 1
      let isOfThisLog = frame.salts(at: 8) == salts
      let isCommit = frame.word(at: 4) != 0
      if isWhole, isOfThisLog {
        sums.add(frame[..<8])
        sums.add(frame[Self.frameHeaderByteCount...])
        isWhole = sums.first == frame.word(at: 16) && sums.second == frame.word(at: 20)
      } else {
        isWhole = false
      }
      if isWhole {
        if isCommit { (committedFrameCount, committedByteCount) = (number, offset) }
      } else if isOfThisLog {
        // One transaction at a time is written, and nothing follows it until it is on the disk. What does not follow by
        // its sums is the rest of one that failed.
        var following = stored
        following.add(frame[..<8])
        following.add(frame[Self.frameHeaderByteCount...])
        if hasLaterCommit, following.first == frame.word(at: 16), following.second == frame.word(at: 20) {
          return isInterrupted = true
        }
        hasLaterCommit = isCommit
      }
      (stored.first, stored.second) = (frame.word(at: 16), frame.word(at: 20))
    }
  }

  /// The cumulative checksums of a write-ahead log.
  private struct Sums {
    let isBigEndian: Bool
    var first: UInt32 = 0
    var second: UInt32 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
      bytes.withUnsafeBytes { bytes in
        for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
          let one = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
          let other = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
          first &+= (isBigEndian ? UInt32(bigEndian: one) : UInt32(littleEndian: one)) &+ second
          second &+= (isBigEndian ? UInt32(bigEndian: other) : UInt32(littleEndian: other)) &+ first
        }
      }
    }
  }
}

extension WriteAheadLog {
  /// What is wrong with a write-ahead log, as a sentence's end after its name; nil where nothing is.
  ///
  /// - Parameters:
  ///   - mark: what was acknowledged last, as far as that is known.
  ///   - durability: with which the log is opened. Of commits that need not survive a loss of power any may be missing
  ///     after one, and those behind it with it.
  static func fault(in log: WriteAheadLog?, _ mark: CommitMark?, _ durability: SQLiteLog.Durability) -> String? {
    let acknowledged = mark?.frameCount ?? 0
    guard let log, log.byteCount > 0 else {
      return acknowledged > 0 ? "is gone or empty, and \(acknowledged) frames in it were acknowledged" : nil
    }
    guard let salts = log.salts else {
      // A header that was torn when it was first written has nothing behind it that was acknowledged.
      return acknowledged > 0 ? "is damaged at byte 0, its header" : nil
    }
    let place = "at byte \(log.committedByteCount), behind \(log.committedFrameCount) frames that are whole"
    if log.isInterrupted, durability == .full {
      return "is damaged \(place); transactions follow that were acknowledged"
    }
    guard let mark, acknowledged > 0 else { return nil }
    if mark.salts == salts {
      return log.committedFrameCount < acknowledged
        ? "is damaged or cut \(place); \(acknowledged) were acknowledged" : nil
    }
    // "The first salt value is incremented" each time it begins again, which a crash may have kept the mark from
    // saying.
    let restarts = UInt32(truncatingIfNeeded: salts >> 32) &- UInt32(truncatingIfNeeded: mark.salts >> 32)
    return 1...8 ~= restarts ? nil : "is not the one that was written to last"
  }
}

/// How much of the write-ahead log was acknowledged, kept in a file of its own: a log that was cut, or whose last
/// transaction was damaged, looks like one that never had it.
///
/// It is written after each commit and not forced to the disk: after a loss of power it may say less than is there,
/// never more. It goes, for good, before its log does. It shows damage and cuts of the log, not that both files were
/// put back together.
struct CommitMark: Equatable {
  var salts: UInt64
  var frameCount: Int

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Of one length, so that it is replaced by one write.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64)
    bytes.append(contentsOf: "Starling mark 1 salts ".utf8)
    Self.append(salts, to: &bytes)
    bytes.append(contentsOf: " frames ".utf8)
    Self.append(UInt64(frameCount), to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  init(salts: UInt64, frameCount: Int) {
    self.salts = salts
    self.frameCount = frameCount
  }

  /// Nil unless it is what `text` says: a mark that cannot be read proves nothing.
  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 7, let salts = UInt64(words[4], radix: 16),
      let frames = UInt64(words[6].dropLast(), radix: 16),
      let frameCount = Int(exactly: frames)
    else { return nil }
    self.init(salts: salts, frameCount: frameCount)
    guard self.text == text else { return nil }
  }

  /// What SQLite's index of the write-ahead log says now (sqlite.org/walformat.html, "The WAL-Index File Format"):
  /// `mxFrame` at 16 in the machine's order, the salts at 32 as in the log.
  init?(sharedMemory: any StoreFile) throws(SystemError) {
    let header = try sharedMemory.bytes(at: 0, count: 48)
    guard header.count == 48 else { return nil }
    let frames = header.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: UInt32.self) }
    self.init(salts: header.salts(at: 32), frameCount: Int(frames))
  }

  /// Sixteen hexadecimal digits.
  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    for shift in stride(from: 60, through: 0, by: -4) {
      let digit = UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 0xF
      bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
    }
  }
}

extension [UInt8] {
  /// Four bytes, the most significant first.
  fileprivate func word(at offset: Int) -> UInt32 {
    self[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  fileprivate func salts(at offset: Int) -> UInt64 {
    UInt64(word(at: offset)) << 32 | UInt64(word(at: offset + 4))
  }
}
