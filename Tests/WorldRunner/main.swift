import Foundation
import StarlingWorlds

// worlds [COUNT [SEED]] [moving]: draws so many worlds, prints how many break a law, and the first few as short as they
// get. It ends with 1 if any does.

let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let count = arguments.first ?? 10_000
let seed = arguments.dropFirst().first ?? 1
let toldMax = 3
let areMoving = CommandLine.arguments.contains("moving")

let began = Date()
var found: [UInt64] = []
for number in seed..<seed + count {
  if let finding = (areMoving ? World(movingIn: number) : World(seed: number)).finding() {
    found.append(number)
    if found.count <= toldMax { print(finding.shrunk(), terminator: "\n\n") }
  }
  if (number - seed + 1).isMultiple(of: 20_000) {
    FileHandle.standardError.write(Data("\(number - seed + 1) worlds, \(found.count) differ\n".utf8))
  }
}
let seconds = String(format: "%.1f", Date().timeIntervalSince(began))
print("\(count) worlds, seeds \(seed)...\(seed + count - 1): \(found.count) differ (\(seconds) s)")
if !found.isEmpty { print("The first seeds: \(found.prefix(20).map(String.init).joined(separator: " "))") }
exit(found.isEmpty ? 0 : 1)
