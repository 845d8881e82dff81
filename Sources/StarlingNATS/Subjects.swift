#if NATS
  import StarlingEngine

  /// One end of a link as others of its group name it: drawn at random for each link, never reused.
  struct MemberID: Hashable, Sendable {
    var rawValue: UInt64

    /// Sixteen digits.
    var text: String {
      let digits = String(rawValue, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }

    init(rawValue: UInt64) {
      self.rawValue = rawValue
    }

    init?(_ text: Substring) {
      guard text.utf8.count == 16, text.allSatisfy({ $0.isHexDigit && !$0.isUppercase }),
        let rawValue = UInt64(text, radix: 16)
      else { return nil }
      self.rawValue = rawValue
    }
  }

  /// The names of a group on the cluster.
  ///
  /// ```
  ///   starling1.GROUP.here              who is here: heard by every member
  ///   starling1.GROUP.to.ID             what is said to one member
  ///   starling1.GROUP.pub.61.62.63.64   published; the first four bytes of the frame
  ///   starling1.GROUP.only.ID.61.62.63.64   published, and sealed for one member
  /// ```
  ///
  /// The 1 is the version of `Envelope`. Links of two versions do not hear each other.
  struct Subjects {
    /// A subject says no more of a frame than this; a longer topic is told apart on arrival.
    static let stemByteCount = 4

    let group: String
    private let root: String
    private let beforeStem: String

    /// - Throws: `LinkError(.endpoint)` for a name that cannot be one.
    init(group: String) throws(LinkError) {
      let isName =
        (1...64).contains(group.utf8.count)
        && group.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
      guard isName else {
        throw LinkError(
          .endpoint, "'\(group)' is no group name: use 1 to 64 letters, digits, dots, underscores or hyphens.")
      }
      self.group = group
      // A dot would begin another token, and a group's subjects could be another's.
      root = "starling1." + String(group.map { $0 == "." ? "/" : $0 })
      beforeStem = root + ".pub."
    }

    var here: String { root + ".here" }

    func inbox(of member: MemberID) -> String { root + ".to." + member.text }

    /// Where a frame is published.
    func published(_ frame: [UInt8]) -> String { beforeStem + Self.stem(of: frame) }

    /// Where a frame is published for one member alone.
    func published(_ frame: [UInt8], only member: MemberID) -> String {
      root + ".only." + member.text + "." + Self.stem(of: frame)
    }

    /// A frame may be shorter than the subject: what is missing is filled up, so that a prefix finds it.
    private static func stem(of frame: [UInt8]) -> String {
      spelled(frame, tokenCount: stemByteCount, missing: UInt8(ascii: "-"))
    }

    /// Where frames arrive that begin with `stem`, of at most four bytes.
    func subscribed(_ stem: [UInt8]) -> String { beforeStem + Self.beginning(with: stem) }

    /// Where those arrive that are published for `member` alone.
    func subscribed(_ stem: [UInt8], only member: MemberID) -> String {
      root + ".only." + member.text + "." + Self.beginning(with: stem)
    }

    private static func beginning(with stem: [UInt8]) -> String {
      spelled(stem, tokenCount: min(stem.count + 1, stemByteCount), missing: UInt8(ascii: ">"))
    }

    /// The first bytes, two digits each, a token for each. Written byte by byte: a subject is made for each frame that is
    /// published.
    ///
    /// - Parameter missing: stands for a byte that is not there.
    private static func spelled(_ bytes: [UInt8], tokenCount: Int, missing: UInt8) -> String {
      String(unsafeUninitializedCapacity: 3 * tokenCount) { text in
        var count = 0
        func write(_ byte: UInt8) {
          text[count] = byte
          count += 1
        }
        func writeDigit(_ digit: UInt8) { write(digit < 10 ? 0x30 + digit : 0x57 + digit) }
        for place in 0..<tokenCount {
          if place > 0 { write(UInt8(ascii: ".")) }
          if place < bytes.count {
            writeDigit(bytes[place] >> 4)
            writeDigit(bytes[place] & 15)
          } else {
            write(missing)
          }
        }
        return count
      }
    }

    // MARK: Endpoints

    /// Where a member is dialled: `nats:GROUP/ID`.
    func endpoint(of member: MemberID) -> String { "nats:\(group)/\(member.text)" }

    /// - Throws: `LinkError(.endpoint)` for what is no member of this group.
    func member(at endpoint: String) throws(LinkError) -> MemberID {
      let prefix = "nats:\(group)/"
      guard endpoint.hasPrefix(prefix), let member = MemberID(endpoint.dropFirst(prefix.count)) else {
        throw LinkError(
          .endpoint,
          "'\(endpoint)' is no member of '\(group)': write \(prefix) and the 16 digits that bind(\"nats:\(group)\") gave it."
        )
      }
      return member
    }

    /// - Throws: `LinkError(.endpoint)` for anything but this group.
    func checkBindable(_ endpoint: String) throws(LinkError) {
      guard endpoint == "nats:\(group)" else {
        throw LinkError(.endpoint, "'\(endpoint)' cannot be bound: this link's group is nats:\(group).")
      }
    }
  }
#endif
