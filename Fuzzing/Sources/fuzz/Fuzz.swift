import CFuzzer
import Foundation

@testable import Decoders

// STARLING_DECODER=NAME fuzz [OPTIONS OF LIBFUZZER]: feeds one decoder. fuzz: names them. The name is no argument,
// since the driver starts the program again for some of what it does, and knows only arguments of its own.

/// Set once, before the driver calls from this thread.
nonisolated(unsafe) private var decoder = FuzzedDecoder.message

private func run(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let input = [UInt8](UnsafeBufferPointer(start: bytes, count: count))
  begin_allocations()
  do {
    _ = try decoder.check(input)
  } catch {
    stop("\(error)")
  }
  let held = allocated_byte_count_max()
  if held > decoder.byteCountMax(for: count) {
    stop("\(held) bytes were held for an input of \(count), and \(decoder.byteCountMax(for: count)) may be")
  }
  return 0
}

private func stop(_ law: String) -> Never {
  FileHandle.standardError.write(Data("\nBroken: \(decoder.name): \(law)\n".utf8))
  abort()
}

@main enum Fuzz {
  static func main() {
    guard let name = ProcessInfo.processInfo.environment["STARLING_DECODER"] else {
      return print(FuzzedDecoder.all.map(\.name).joined(separator: "\n"))
    }
    guard let chosen = FuzzedDecoder.all.first(where: { $0.name == name }) else { stop("there is no such decoder") }
    decoder = chosen
    var argc = CommandLine.argc
    var argv = Optional(CommandLine.unsafeArgv)
    exit(LLVMFuzzerRunDriver(&argc, &argv) { run($0, $1) })
  }
}
