#if NATS
  import CSodium

  /// The public name of a user's NKEY, from the seed that proves it (the nkeys format of NATS).
  ///
  /// ```
  ///   seed    base32 | 144, and 160 behind it, in 5 + 8 bits of 2 bytes | seed, 32 | checksum, 2 |   SU…
  ///   public  base32 | 160, 1                                           | key, 32  | checksum, 2 |   U…
  /// ```
  struct NKey {
    private static let seedMark: UInt8 = 18 << 3
    private static let userMark: UInt8 = 20 << 3
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// `U` and 55 more letters and digits.
    let publicName: String

    /// - Parameter text: the seed, alone or on a line among others.
    /// - Returns: nil where no line is a user's seed.
    init?(seedIn text: String) {
      for line in text.split(whereSeparator: \.isWhitespace) {
        guard let bytes = Self.decode(line), bytes.count == 36, Self.isIntact(bytes), bytes[0] & 0xf8 == Self.seedMark,
          bytes[0] << 5 | bytes[1] >> 3 == Self.userMark
        else { continue }
        var publicKey = [UInt8](repeating: 0, count: 32)
        var secretKey = [UInt8](repeating: 0, count: 64)
        guard crypto_sign_seed_keypair(&publicKey, &secretKey, Array(bytes[2..<34])) == 0 else { return nil }
        var named = [Self.userMark] + publicKey
        let checksum = Self.checksum(named[...])
        named += [UInt8(truncatingIfNeeded: checksum), UInt8(checksum >> 8)]
        publicName = Self.encode(named)
        return
      }
      return nil
    }

    private static func isIntact(_ bytes: [UInt8]) -> Bool {
      let checksum = checksum(bytes.dropLast(2))
      return bytes.suffix(2) == [UInt8(truncatingIfNeeded: checksum), UInt8(checksum >> 8)]
    }

    /// CRC-16 with the polynomial 0x1021 (XMODEM).
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt16 {
      var sum: UInt16 = 0
      for byte in bytes {
        sum ^= UInt16(byte) << 8
        for _ in 0..<8 { sum = sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
      }
      return sum
    }

    /// Base32 without padding; nil for other letters.
    private static func decode(_ text: Substring) -> [UInt8]? {
      guard text.utf8.count <= 64 else { return nil }
      var bytes: [UInt8] = []
      var (bits, bitCount) = (UInt32(0), 0)
      for letter in text.utf8 {
        guard let value = alphabet.firstIndex(of: letter) else { return nil }
        bits = bits << 5 | UInt32(value)
        bitCount += 5
        if bitCount >= 8 {
          bitCount -= 8
          bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        }
      }
      return bytes
    }

    private static func encode(_ bytes: [UInt8]) -> String {
      var letters: [UInt8] = []
      var (bits, bitCount) = (UInt32(0), 0)
      for byte in bytes {
        bits = bits << 8 | UInt32(byte)
        bitCount += 8
        while bitCount >= 5 {
          bitCount -= 5
          letters.append(alphabet[Int(bits >> UInt32(bitCount) & 31)])
        }
      }
      if bitCount > 0 { letters.append(alphabet[Int(bits << UInt32(5 - bitCount) & 31)]) }
      return String(decoding: letters, as: UTF8.self)
    }
  }
#endif
