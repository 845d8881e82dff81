#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A directory that is there while `body` runs.
func withScratchDirectory<Result>(_ body: (String) async throws -> Result) async throws -> Result {
  var template = Array("/tmp/starling-test-XXXXXX".utf8CString)
  let path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
  do {
    let result = try await body(path)
    remove(path)
    return result
  } catch {
    remove(path)
    throw error
  }
}

private func remove(_ path: String) {
  for name in names(in: path) where unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
  rmdir(path)
}

/// The files in a directory, in order.
func names(in path: String) -> [String] {
  guard let directory = opendir(path) else { return [] }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    if name != "." && name != ".." { names.append(name) }
  }
  return names.sorted()
}

/// Where a test of every transport binds: ipc within `directory`, tcp on a free pair of ports.
func endpoints(in directory: String) -> [String] { ["ipc://\(directory)/a", "tcp://127.0.0.1:0"] }
