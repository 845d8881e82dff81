import Foundation
import StarlingDrawnDisks

// disks [COUNT [SEED]]: draws so many simulated disks below the real SQLite log, and prints what happened and what was
// wrong. It ends with 1 if anything was.
// disks planted: plants faults of the program, one at a time, and prints after how many disks each is noticed.

if CommandLine.arguments.contains("planted") {
  for fault in PlantedStoreFault.allCases {
    var count: UInt64 = 1
    while count < 20_000 {
      var run = DiskRun(seed: count, kind: .honest, planting: fault)
      if let finding = await run.finding() {
        print("\(fault): after \(count) disks: \(finding.split(separator: "\n")[0].prefix(200))")
        break
      }
      count += 1
    }
  }
  exit(0)
}
let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let count = arguments.first ?? 10_000
let seed = arguments.dropFirst().first ?? 1
let toldMax = 3

let began = Date()
var found: [UInt64] = []
var tally: [String: [String: Int]] = [:]
for number in seed..<seed + count {
  var run = DiskRun(seed: number)
  if let finding = await run.finding() {
    found.append(number)
    if found.count <= toldMax { print(finding, terminator: "\n\n") }
  }
  tally[run.kind.rawValue, default: [:]].merge(run.tally, uniquingKeysWith: +)
}
for (kind, counts) in tally.sorted(by: { $0.key < $1.key }) {
  print("\(kind): " + counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
}
let seconds = String(format: "%.1f", Date().timeIntervalSince(began))
print("\(count) disks, seeds \(seed)...\(seed + count - 1): \(found.count) were wrong (\(seconds) s)")
if !found.isEmpty { print("The first seeds: \(found.prefix(20).map(String.init).joined(separator: " "))") }
exit(found.isEmpty ? 0 : 1)
