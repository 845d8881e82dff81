import ArgumentParser
import SyncDemo

/// The program alone: what it does is a library, so that tests can look at its picture.
@main
struct Main {
  static func main() async { await SyncDemoCommand.main() }
}
