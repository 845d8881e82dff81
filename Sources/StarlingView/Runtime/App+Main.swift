import Foundation
import StarlingModel

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension App {
  /// Runs the program in the terminal that it was started in. Where its output goes elsewhere, it prints what is on its
  /// screen once, for whoever reads that.
  @MainActor public static func main() async {
    if isatty(STDOUT_FILENO) == 1 {
      do {
        try await TerminalHost(app: Self.self).run()
      } catch {
        report("\(error)")
        exit(1)
      }
    } else {
      let tree = ViewTree { report("\($0)") }
      tree.show(AppView(app: Self()))
      for line in tree.elements.flatMap(\.lines) { print(line) }
      tree.close()
    }
  }
}

private func report(_ line: String) {
  FileHandle.standardError.write(Data("Starling: \(line)\n".utf8))
}
