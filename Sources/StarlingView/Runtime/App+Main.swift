import Foundation
import StarlingModel

extension App {
  /// Runs the program: prints what is on its screen once, for whoever reads the output.
  @MainActor public static func main() {
    let tree = ViewTree { FileHandle.standardError.write(Data("Starling: \($0)\n".utf8)) }
    tree.show(AppView(app: Self()))
    for line in tree.elements.flatMap(\.lines) { print(line) }
    tree.close()
  }
}
