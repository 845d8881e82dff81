import Starling

@Replicated final class Room: Sendable {
  var said = "nothing yet"
  var times: ReplicatedCounter = 0
}

@main struct Twenty {
  static func main() async throws {
    let replica = try await Replica.open("twenty")
    let room = try replica.model(Room.self, named: "room")
    if CommandLine.arguments.count > 1 {
      room.said = CommandLine.arguments[1]
      room.times += 1
      try await replica.flush(until: .received(1))  // another process has it
      return try await replica.close()
    }
    for await line in Observations({ "\(room.times.value): \(room.said)" }) { print(line) }
  }
}
