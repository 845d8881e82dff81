import StarlingCore

#if canImport(Darwin)
  import Darwin
#endif

/// What a clean close leaves for the next open: the proof that the store knows every dot that its
/// replica id ever named, so that it may go on under that id.
///
/// The proof is a list of facts. The next open gathers them again and takes the id only if the
/// marker says the same, to the letter: a database that was copied, restored, rolled back, or moved
/// to another machine differs in at least one.
struct CleanShutdownMarker {
  var store: StoreID
  var replica: ReplicaID
  var machine: String
  /// The database file, as its last writer left it.
  var database: FileIdentity
  /// How far `replica` got in each document that it wrote to, by the document's number.
  var heads: [(document: Int64, counter: UInt64)]

  var text: String {
    var lines = [
      "\(Self.replicaMark)\(replica)",
      "store \(store)",
      "machine \(machine)",
      "database device \(database.device) inode \(database.inode) bytes \(database.byteCount)"
        + " changed \(database.changed.seconds).\(database.changed.nanoseconds)",
    ]
    lines += heads.sorted { $0.document < $1.document }.map { "head \($0.document) \($0.counter)" }
    return lines.joined(separator: "\n") + "\nend\n"
  }

  /// The id that a marker's text is about.
  static func replica(in text: String) -> ReplicaID? {
    guard text.hasPrefix(replicaMark) else { return nil }
    let digits = text.dropFirst(replicaMark.count).prefix { $0 != "\n" }
    return UInt64(digits, radix: 16).map(ReplicaID.init(rawValue:))
  }

  private static let replicaMark = "Starling ticket 1 for replica "
}

extension CleanShutdownMarker {
  init(
    store: StoreID, replica: ReplicaID, machine: String, database: FileIdentity,
    documents: some Collection<LogFile.LoggedDocument>
  ) {
    let heads = documents.map { (document: $0.row.id, counter: $0.head[replica]) }.filter { $0.counter > 0 }
    self.init(store: store, replica: replica, machine: machine, database: database, heads: heads)
  }

  /// A name that this machine keeps across boots; nil where it has none, and then no marker is
  /// ever valid.
  static func machineID() -> String? {
    #if os(macOS)
      // gethostuuid(2) asks the system's own records, and says how long that may take.
      var bytes = [UInt8](repeating: 0, count: 16)
      var patience = timespec(tv_sec: 5, tv_nsec: 0)
      guard gethostuuid(&bytes, &patience) == 0 else { return nil }
      return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #elseif canImport(Darwin)
      // Apple's other systems tell no program which device it is on, and a backup may be restored on another.
      return nil
    #else
      return machineIDFile()
    #endif
  }

  /// machine-id(5): "a single newline-terminated, hexadecimal, 32-character, lowercase ID".
  private static func machineIDFile() -> String? {
    for path in ["/etc/machine-id", "/var/lib/dbus/machine-id"] {
      guard let text = try? SystemDisk().read(path) else { continue }
      let digits = text.prefix { $0.isHexDigit }
      if digits.count == 32 { return String(digits) }
    }
    return nil
  }
}
