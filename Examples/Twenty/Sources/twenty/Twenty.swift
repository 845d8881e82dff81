import Starling

@Replicated final class Talk: Sendable {
  var said = "nothing yet"
  var times: ReplicatedCounter = 0
}

@main struct Twenty {
  static func main() async throws {
    let replica = try await Replica.open("twenty")
    let talk = try replica.model(Talk.self, named: "talk")
    if CommandLine.arguments.count > 1 {
      talk.said = CommandLine.arguments[1]
      talk.times += 1
      try await replica.flush(until: .received(1))  // another process has it
      return try await replica.close()
    }
    for await line in ObservedValues({ "\(talk.times.value): \(talk.said)" }) { print(line) }
  }
}
