// What the log does to files that are open.
extension StoreFile {
  func readAll() throws(SystemError) -> String {
    var bytes: [UInt8] = []
    while true {
      let part = try self.bytes(at: bytes.count, count: 4096)
      if part.isEmpty { return String(decoding: bytes, as: UTF8.self) }
      bytes += part
    }
  }

  /// At most `count` bytes from `offset` on; fewer at the end of the file.
  func bytes(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
      do throws(SystemError) {
        while length < count {
          let rest = UnsafeMutableRawBufferPointer(buffer)[length..<count]
          let step = try read(at: offset + length, into: UnsafeMutableRawBufferPointer(rebasing: rest))
          if step == 0 { return }
          length += step
        }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Writes `bytes` over what the file begins with, in one call.
  func overwrite(with bytes: [UInt8]) throws(SystemError) {
    guard try step(bytes[...], at: 0) == bytes.count else { throw SystemError(code: SystemError.full, path: path) }
  }

  /// Makes `text` all that the file holds.
  func replaceAll(with text: String) throws(SystemError) {
    try truncate(to: 0)
    try write(Array(text.utf8), at: 0)
  }

  func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = try step(rest, at: offset + rest.startIndex)
      guard count > 0 else { throw SystemError(code: SystemError.full, path: path) }
      rest = rest.dropFirst(count)
    }
  }

  private func step(_ bytes: ArraySlice<UInt8>, at offset: Int) throws(SystemError) -> Int {
    var outcome = Result<Int, SystemError>.success(0)
    bytes.withUnsafeBytes { bytes in
      do throws(SystemError) { outcome = .success(try write(at: offset, bytes)) } catch { outcome = .failure(error) }
    }
    return try outcome.get()
  }
}
