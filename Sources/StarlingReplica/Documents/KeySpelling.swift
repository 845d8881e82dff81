import Foundation
package import StarlingCore

/// How keys are written as parts of paths and as members of objects, and which keys a part may mean.
///
/// ```
///   name          as it is                   front-desk
///   integer       in decimal digits          1965
///   16 bytes      as a UUID                  6BA7B810-9DAD-11D1-80B4-00C04FD430C8
///   other bytes   Base64 without slashes     _-8      (base64url, RFC 4648 §5, without padding)
/// ```
///
/// Bytes are read in plain Base64 too.
extension DocumentTree {
  package static func name(of key: Key) -> String {
    switch key {
    case .name(let name): name
    case .integer(let integer): "\(integer)"
    case .bytes(let bytes): spelling(of: bytes)
    case .element(let dot): "\(dot)"
    }
  }

  /// The keys that a part may mean, the likeliest first.
  static func keys(named part: String) -> [Key] {
    var keys = [Key.name(part)]
    if let integer = Int64(part) { keys.append(.integer(integer)) }
    if let bytes = bytes(named: part) { keys.append(.bytes(bytes)) }
    return keys
  }

  /// Nil for a part that spells no bytes.
  static func bytes(named part: String) -> [UInt8]? {
    if let uuid = UUID(uuidString: part) { return withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) } }
    let plain = part.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: plain.hasSuffix("=") ? 0 : (4 - plain.utf8.count % 4) % 4)
    return Data(base64Encoded: plain + padding).map { [UInt8]($0) }
  }

  private static func spelling(of bytes: [UInt8]) -> String {
    guard bytes.count == 16 else {
      return Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
        "=", with: "")
    }
    var uuid = UUID().uuid
    withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
    return UUID(uuid: uuid).uuidString
  }
}
