import Dispatch
import Foundation
import Starling
import StarlingEngine

// Programs of one group that Scripts/shards starts; they find its daemons by the directory of sockets, as programs do.
//
// shard-programs write SOCKETS DOCUMENT,DOCUMENT… WRITERS NUMBER
//
// Says "ready". For each line of input, a count, it writes so often, and says "wrote" with the moments at which it began
// and was done: nanoseconds of the machine's clock.
//
// shard-programs read SOCKETS DOCUMENT,DOCUMENT… WRITERS
//
// Says "ready". For a line with a count it says "saw" once the observers have seen so many writes in all, how many, and
// when they saw the last of them; for an empty line it says so at once if it has not.

func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

func tell(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let words = [String](CommandLine.arguments.dropFirst())
guard words.count >= 4, let writerCount = Int(words[3]), ["write", "read"].contains(words[0]) else {
  print("usage: shard-programs write SOCKETS DOCUMENTS WRITERS NUMBER | read SOCKETS DOCUMENTS WRITERS")
  exit(64)
}
var options = Replica.Options()
options.socketDirectory = words[1]
let replica = try await Replica.open("shards", options: options)
let documents = words[2].split(separator: ",").compactMap { DocumentID(String($0)) }
let tallies = try await Tallies(of: replica, in: documents, writerCount: writerCount)
await tallies.synchronize()

// Whoever replicates has threads of its own: waiting for a line holds up nobody.
if words[0] == "write" {
  guard words.count == 5, let number = Int(words[4]), (0..<writerCount).contains(number) else { exit(64) }
  let writer = Writer(tallies: tallies, number: number)
  tell("ready")
  while let count = readLine().flatMap({ Int($0) }) {
    let began = now()
    try await writer.write(count)
    tell("wrote \(began) \(now())")
  }
} else {
  let reader = Reader(tallies.all)
  tell("ready")
  while let line = readLine() {
    if let count = Int(line) { reader.wait(for: count) } else { reader.giveUp() }
  }
}
try await replica.close()
