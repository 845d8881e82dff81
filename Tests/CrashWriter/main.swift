import Foundation
import Starling

// Programs that Scripts/crash kills.
//
// crash-writer DIRECTORY JOURNAL [--life N] [--history state] [--accept-damage] [--once | --writes N]
//
// Opens the store, appends to the journal what it holds, and has four writers write until it is killed; or ends in good
// order at once, with --once, or after N writes of each, with --writes. Then a refused flush is waited for again.
//
// crash-writer --client SOCKETS JOURNAL --number W --after N
//
// Joins the daemon of the group 'crash' without a store, and is writer W, which goes on after write N.
//
// The journal is a file outside the store, a line of JSON each:
//
//   {"opened": replica id, "milliseconds": until it was open}
//   {"held": {"entries": …, "writeCount": …, "receipts": […]}}
//   {"try": [writer, number]}     before the write is made
//   {"done": [writer, number]}    once `flush` returned: until it is durable, for a client until it is on the daemon's
//   disk {"refused": what the store said}
//
// Write n of writer w sets the entry "w-(n mod 64)" to "w-n LIFE" and padding, adds one to the sum, and each eighth is
// appended to the list: one transaction.

let words = [String](CommandLine.arguments.dropFirst())

func option(_ name: String) -> String? {
  words.firstIndex(of: name).flatMap { words.indices.contains($0 + 1) ? words[$0 + 1] : nil }
}

let isClient = words.first == "--client"
guard words.count >= 3 || words.count == 2 && !isClient, let journal = Journal(words[isClient ? 2 : 1]) else {
  print("usage: crash-writer DIRECTORY JOURNAL … | --client SOCKETS JOURNAL --number W --after N")
  exit(2)
}

var options = Replica.Options()
if isClient {
  options.socketDirectory = words[1]
} else {
  options.joinsThisMachine = false
}
options.acceptsDamage = words.contains("--accept-damage")
if option("--history") == "state" { options.history = .stateOnly(byteCountMin: 64 << 10) }

let began = ContinuousClock.now
let replica: Replica
do {
  replica = try await Replica.open("crash", in: isClient ? nil : words[0], options: options)
} catch {
  journal.note(["refused": .string("\(error)")])
  exit(3)
}
let ledger = try replica.model(Ledger.self, named: "ledger")
let writers = Writers(replica: replica, ledger: ledger, journal: journal, life: option("--life") ?? "0")
if isClient {
  journal.note(["opened": .string("\(replica.writer)")])
  let (writer, former) = (option("--number").flatMap(Int.init) ?? 0, option("--after").flatMap(Int64.init) ?? 0)
  await writers.write(as: writer, after: former, until: .replicated(1))
}
let held = ledger.held
let took = (ContinuousClock.now - began) / .milliseconds(1)
journal.note(["opened": .string("\(replica.writer)"), "milliseconds": .integer(Int64(took))])
journal.note(["held": held])
func close() async -> Never {
  do {
    try await replica.close()
  } catch {
    journal.note(["refused": .string("\(error)")])
    exit(4)
  }
  exit(0)
}

if words.contains("--once") { await close() }

let writeCount = option("--writes").flatMap { Int64($0) }
var reached = [Int64](repeating: 0, count: 4)
for (name, value) in ledger.entries {
  let digits = name.prefix { $0 != "-" }
  guard let writer = Int(digits), reached.indices.contains(writer),
    let number = Int64(value.dropFirst(digits.count + 1).prefix { $0 != " " })
  else { continue }
  reached[writer] = max(reached[writer], number)
}
await withTaskGroup(of: Void.self) { group in
  for (writer, former) in reached.enumerated() {
    group.addTask { await writers.write(as: writer, after: former, until: .durable, atMost: writeCount) }
  }
}
await close()
