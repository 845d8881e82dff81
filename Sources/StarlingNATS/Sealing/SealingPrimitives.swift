#if NATS
  import CSodium

  /// Why a sealed session, or its handshake, ends.
  enum SealingFault: Error, Equatable {
    /// Not of the shape that is due.
    case malformed
    /// Sealed by another key, for another place, or changed on its way.
    case notAuthentic
    /// A public key that every secret key answers alike.
    case weakKey
    /// All counters of a direction are used.
    case exhausted
    /// Its counter, or a later one, was opened before.
    case replayed
  }

  /// A secret X25519 key and its public key, 32 bytes each.
  struct SealingKeyPair: Sendable {
    let secret: [UInt8]
    let publicKey: [UInt8]

    /// - Throws: `.malformed` unless there are 32 bytes.
    init(secret: [UInt8]) throws(SealingFault) {
      guard secret.count == 32 else { throw .malformed }
      var key = [UInt8](repeating: 0, count: 32)
      guard crypto_scalarmult_base(&key, secret) == 0 else { throw .weakKey }
      self.secret = secret
      publicKey = key
    }

    /// A new pair of random bytes.
    static func random() throws(SealingFault) -> SealingKeyPair {
      try SealingKeyPair(secret: Sealing.randomKey())
    }

    func shared(with other: [UInt8]) throws(SealingFault) -> [UInt8] {
      guard other.count == 32 else { throw .malformed }
      var bytes = [UInt8](repeating: 0, count: 32)
      guard crypto_scalarmult(&bytes, secret, other) == 0 else { throw .weakKey }
      return bytes
    }
  }

  /// BLAKE2b with 64 bytes, and ChaCha20-Poly1305 with a counter for a nonce.
  enum Sealing {
    static let keyByteCount = 32
    static let tagByteCount = 16

    static func randomKey() -> [UInt8] {
      var generator = SystemRandomNumberGenerator()
      return (0..<keyByteCount).map { _ in .random(in: .min ... .max, using: &generator) }
    }

    static func hash(_ bytes: [UInt8], key: [UInt8] = []) -> [UInt8] {
      var result = [UInt8](repeating: 0, count: 64)
      crypto_generichash(&result, result.count, bytes, UInt64(bytes.count), key, key.count)
      return result
    }

    static func seal(_ bytes: [UInt8], key: [UInt8], counter: UInt64, over data: [UInt8]) -> [UInt8] {
      var result = [UInt8](repeating: 0, count: bytes.count + tagByteCount)
      var count: UInt64 = 0
      crypto_aead_chacha20poly1305_ietf_encrypt(
        &result, &count, bytes, UInt64(bytes.count), data, UInt64(data.count), nil, nonce(counter), key)
      return result
    }

    static func open(
      _ sealed: [UInt8], key: [UInt8], counter: UInt64, over data: [UInt8]
    ) throws(SealingFault) -> [UInt8] {
      guard sealed.count >= tagByteCount else { throw .malformed }
      // One byte more, as an empty array has no address.
      var result = [UInt8](repeating: 0, count: sealed.count - tagByteCount + 1)
      var count: UInt64 = 0
      let status = crypto_aead_chacha20poly1305_ietf_decrypt(
        &result, &count, nil, sealed, UInt64(sealed.count), data, UInt64(data.count), nonce(counter), key)
      guard status == 0 else { throw .notAuthentic }
      result.removeLast()
      return result
    }

    private static func nonce(_ counter: UInt64) -> [UInt8] {
      var nonce: [UInt8] = [0, 0, 0, 0]
      nonce.append(number: counter)
      return nonce
    }
  }
#endif
