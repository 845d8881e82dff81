import StarlingCore
import StarlingEngine
import StarlingReplica

extension Console {
  private static let diskPatience: Duration = .seconds(5)
  private static let memberPatience: Duration = .milliseconds(1500)

  /// Does what the operator asked for, and says how far it has come.
  func perform(_ command: ConsoleCommand) async throws -> JSONValue {
    switch command {
    case .set(let document, let slot, let value, let form):
      return try await write(document) { try $0.set(value, at: slot, as: form, message: Self.message) }
    case .add(let document, let container, let outer, let name, let value, let form):
      return try await write(document) { json in
        let key: Key = container.kind == .list ? .element(.origin) : try json.newKey(name, in: container)
        let slot = SlotAddress(container: container, outer: outer, key: key)
        if container.kind != .list, json.handle.read({ $0.contains(key, in: container.object) }) {
          throw CommandError("'\(name)' is there already; change its value instead.")
        }
        try json.set(value, at: slot, as: form, message: Self.message)
      }
    case .remove(let document, let slot):
      return try await write(document) { try $0.remove(at: slot, message: Self.message) }
    case .settle(let document, let slot, let by):
      return try await write(document) { json in
        guard let side = try json.sides(of: slot).first(where: { $0.dot == by }) else {
          throw CommandError("The conflict has changed since: somebody wrote there. Look again, and choose.")
        }
        try json.set(side.value, at: slot, message: Self.message)
      }
    case .restore(let session, let step):
      let history = try self.history(session)
      guard history.steps.indices.contains(step) else { throw CommandError("There is no such step.") }
      let change = history.steps[step]
      return try await write(history.document) { _ in
        try await self.replica.engine.restore(
          history.document, to: change.version, message: "restored after \(change.last) in the console")
      }
    }
  }

  private static let message = "written in the console"

  private func write(
    _ document: DocumentID, _ body: (JSONDocument) async throws -> Void
  ) async throws -> JSONValue {
    let watch = try await watch(document)
    let former = watch.handle.version
    try await body(watch.json)
    guard watch.handle.version != former else { return ["changed": false, "words": "It is so already."] }
    try await replica.engine.flush(document, until: .durable, timeout: Self.diskPatience)
    let hasMembers = await !replica.status().peers.isEmpty
    let isElsewhere: Bool
    do {
      if hasMembers {
        try await replica.engine.flush(document, until: .received(1), timeout: Self.memberPatience)
      }
      isElsewhere = hasMembers
    } catch let error as FlushError where error.code == .timedOut {
      isElsewhere = false
    }
    let words =
      isElsewhere
      ? "Written: on disk here, and another member has it."
      : hasMembers
        ? "Written, and on disk here. No other member has acknowledged it yet."
        : "Written, and on disk here. No other member is connected."
    return ["changed": true, "elsewhere": .bool(isElsewhere), "words": .string(words)]
  }
}
