import Starling
import StarlingEngine
import StarlingSimulator
import Testing

@testable import feature_flags

/// Instances of the service on a network that loses frames, in processes that crash, with disks that are put back.
@Suite struct `The flags of a service` {
  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `are the same at every instance, whatever goes wrong`(seed: UInt64) throws {
    let instances = Instances()
    let simulation = Schedule(seed: seed).run { document, generator in
      guard let flags = try? instances.flags(in: document) else { return }
      flags.enabled["flag \(Int.random(in: 0..<3, using: &generator))"] = Bool.random(using: &generator)
      flags.changes += 1
    }
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
    let open = (0..<simulation.schedule.replicas).compactMap { simulation.document(simulation.documents[0], at: $0) }
    let seen = try open.map { try instances.flags(in: $0) }.map { flags in
      flags.enabled.keys.sorted().map { "\($0): \(flags.enabled[$0] == true)" } + ["\(flags.changes.value)"]
    }
    #expect(Set(seen).count == 1, "seed \(seed): \(seen)")
  }
}

/// Of each open document the one space that its models live in.
private final class Instances {
  private var spaces: [ObjectIdentifier: ModelSpace] = [:]

  func flags(in document: DocumentHandle) throws -> Flags {
    let space = spaces[ObjectIdentifier(document)] ?? ModelSpace(document)
    spaces[ObjectIdentifier(document)] = space
    return try space.model(Flags.self, named: "flags", isolation: nil)
  }
}
