#if NATS
  import StarlingCore

  // How envelopes and streams write numbers, names and versions: the least significant byte first.

  extension [UInt8] {
    mutating func append(number: some FixedWidthInteger) {
      Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }

    /// Seven bits a byte, the least significant first; the highest bit says that more follow (LEB128).
    mutating func append(short number: UInt64) {
      var rest = number
      while rest >= 0x80 {
        append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
      }
      append(UInt8(rest))
    }

    /// Its byte count in four bytes, and its UTF-8.
    mutating func append(text: String) {
      append(number: UInt32(clamping: text.utf8.count))
      self += Array(text.utf8)
    }

    /// The number of entries in four bytes; for each its replica and its counter.
    mutating func append(version: VersionVector) {
      append(number: UInt32(clamping: version.entries.count))
      for entry in version.entries {
        append(number: entry.replica.rawValue)
        append(number: entry.counter)
      }
    }
  }

  // Each takes what it reads off the front; nil where the bytes end before, or say what cannot be.
  extension ArraySlice<UInt8> {
    mutating func takeNumber(_ byteCount: Int) -> UInt64? {
      guard count >= byteCount else { return nil }
      var number: UInt64 = 0
      for offset in 0..<byteCount { number |= UInt64(self[startIndex + offset]) << UInt64(8 * offset) }
      self = self[(startIndex + byteCount)...]
      return number
    }

    /// Below 2⁶³.
    mutating func takeShort() -> UInt64? {
      var (number, shift) = (UInt64(0), 0)
      while let byte = popFirst() {
        number |= UInt64(byte & 0x7f) << shift
        guard byte & 0x80 != 0 else { return number }
        shift += 7
        guard shift < 63 else { return nil }
      }
      return nil
    }

    /// A count of things of at least `byteCountMin` bytes each, for which there is space in what follows.
    mutating func takeCount(of byteCountMin: Int) -> Int? {
      guard let number = takeNumber(4), number <= UInt64(count / byteCountMin) else { return nil }
      return Int(number)
    }

    mutating func takeText() -> String? {
      guard let count = takeCount(of: 1) else { return nil }
      defer { removeFirst(count) }
      return String(validating: prefix(count), as: UTF8.self)
    }

    mutating func takeDocument() -> DocumentID? {
      takeText().flatMap { DocumentID($0) }
    }

    mutating func takeVersion() -> VersionVector? {
      guard let count = takeCount(of: 16) else { return nil }
      var entries: [VersionVector.Entry] = []
      entries.reserveCapacity(count)
      for _ in 0..<count {
        guard let replica = takeNumber(8), let counter = takeNumber(8), counter > 0 else { return nil }
        if let last = entries.last, last.replica.rawValue >= replica { return nil }
        entries.append(VersionVector.Entry(replica: ReplicaID(rawValue: replica), counter: counter))
      }
      return VersionVector(entries)
    }
  }
#endif
