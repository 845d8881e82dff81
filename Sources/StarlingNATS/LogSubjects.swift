#if NATS
  import StarlingCore

  /// The names of a log on the cluster.
  ///
  /// ```
  ///   stream STARLING_NAME           starlinglog1.NAME.session            who opened it, and closed it
  ///                                  starlinglog1.NAME.records.DOCUMENT   appended to one document
  ///                                  starlinglog1.NAME.shared             appended to several at once
  ///                                  starlinglog1.NAME.snapshot.DOCUMENT  and likewise checkpoint, sealed, members, leases
  ///                                  starlinglog1.NAME.index              the index; all but its last part: indexpart
  ///   stream STARLING_NAME_WITNESS   starlingwitness1.NAME.session
  /// ```
  ///
  /// The subjects are for operators; the log asks for the last of `session` and of `index` by their subjects, and for all
  /// else by sequence. The 1 is the version of `StreamPart`.
  struct LogSubjects {
    static let session = "session"
    static let shared = "shared"
    /// Of an index the last part, by which it is found, and the parts before.
    static let index = "index"
    static let indexPart = "indexpart"

    let name: String

    /// Nil for what cannot be part of a stream's name.
    init?(name: String) {
      let isName =
        (1...64).contains(name.utf8.count)
        && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-".contains($0)) }
      guard isName else { return nil }
      self.name = name
    }

    var stream: String { "STARLING_" + name }
    var root: String { "starlinglog1." + name }
    var witnessStream: String { stream + "_WITNESS" }
    var witnessRoot: String { "starlingwitness1." + name }

    /// Under what a call stands that is about this document alone.
    static func token(of kind: StreamPart.Kind, _ document: DocumentID) -> String {
      "\(kind == .keepingSnapshot ? .snapshot : kind)." + escaped(document.name)
    }

    /// A name as one token of a subject: letters, digits, _ and - as they are, every other byte as = and two digits.
    private static func escaped(_ name: String) -> String {
      var token = ""
      for byte in name.utf8 {
        let character = Character(UnicodeScalar(byte))
        if byte < 0x80, character.isLetter || character.isNumber || character == "_" || character == "-" {
          token.append(character)
        } else {
          token += (byte < 16 ? "=0" : "=") + String(byte, radix: 16)
        }
      }
      return token
    }
  }
#endif
