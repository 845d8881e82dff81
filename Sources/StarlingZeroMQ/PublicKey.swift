import CZeroMQ
public import StarlingEngine

/// The public half of a CURVE key pair: 32 bytes, written as 43 letters, digits, hyphens and underscores
/// (base64url without padding, RFC 4648 §5), which no shell takes apart.
public struct PublicKey: Hashable, Sendable, LosslessStringConvertible {
  static let byteCount = 32

  package let bytes: [UInt8]

  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = Array(bytes)
  }

  /// Nil for anything but 43 characters that spell 32 bytes.
  public init?(_ text: String) {
    guard let bytes = Base64URL.decode(text) else { return nil }
    self.init(bytes: bytes)
  }

  public var description: String { Base64URL.encode(bytes) }
}

/// A CURVE key pair (RFC 26 of ZeroMQ, libsodium's or tweetnacl's Curve25519 behind libzmq).
public struct KeyPair: Sendable {
  public let publicKey: PublicKey
  package let secret: [UInt8]

  /// A new pair.
  ///
  /// - Throws: `LinkError(.system)` where this libzmq was built without CURVE.
  public init() throws(LinkError) {
    var texts = (Z85.capacity, Z85.capacity)
    guard zmq_curve_keypair(&texts.0, &texts.1) == 0 else {
      throw LinkError.ofLibrary("No keys can be made; this libzmq may have been built without CURVE")
    }
    guard let publicKey = Z85.decode(texts.0).flatMap({ PublicKey(bytes: $0) }), let secret = Z85.decode(texts.1)
    else { throw LinkError(.system, "libzmq made keys that are none.") }
    self.publicKey = publicKey
    self.secret = secret
  }

  /// The pair of a secret key, written as a public one is.
  ///
  /// - Throws: `LinkError(.endpoint)` where it is none.
  public init(secretText: String) throws(LinkError) {
    guard let secret = Base64URL.decode(secretText), secret.count == PublicKey.byteCount else {
      throw LinkError(.endpoint, "A secret key has 43 letters, digits, hyphens and underscores; this is none.")
    }
    var text = Z85.capacity
    guard zmq_curve_public(&text, Z85.encode(secret)) == 0,
      let publicKey = Z85.decode(text).flatMap({ PublicKey(bytes: $0) })
    else { throw LinkError.ofLibrary("The secret key has no public one") }
    self.publicKey = publicKey
    self.secret = secret
  }

  /// To be kept where nobody else reads it.
  public var secretText: String { Base64URL.encode(secret) }
}

/// How libzmq writes keys: five characters for four bytes (RFC 32 of ZeroMQ), and a closing zero.
private enum Z85 {
  static var capacity: [CChar] { [CChar](repeating: 0, count: 41) }

  static func decode(_ text: [CChar]) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: PublicKey.byteCount)
    return zmq_z85_decode(&bytes, text) == nil ? nil : bytes
  }

  static func encode(_ bytes: [UInt8]) -> [CChar] {
    var text = capacity
    _ = zmq_z85_encode(&text, bytes, bytes.count)
    return text
  }
}

enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var (bits, count) = (UInt32(0), 0)
    for byte in bytes {
      (bits, count) = (bits << 8 | UInt32(byte), count + 8)
      while count >= 6 {
        count -= 6
        text.append(alphabet[Int(bits >> UInt32(count) & 0x3F)])
      }
    }
    if count > 0 { text.append(alphabet[Int(bits << UInt32(6 - count) & 0x3F)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Nil where a character is none of the alphabet, or bits are left over that say something.
  static func decode(_ text: String) -> [UInt8]? {
    guard text.utf8.count <= 1024, text.utf8.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    var (bits, count) = (UInt32(0), 0)
    for character in text.utf8 {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      (bits, count) = (bits << 6 | UInt32(value), count + 6)
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    guard bits & (1 << UInt32(count) - 1) == 0 else { return nil }
    return bytes
  }
}
