import Foundation
import Logging
import Measuring
import Starling
import StarlingCore
import StarlingEngine

private let documentCount = Scale.count(1000)

extension Case {
  /// What a daemon and a client of it compute in a second while a thousand documents are open at both and nobody writes.
  static let rest: [Case] = [
    Case("rest") {
      var options = Replica.Options()
      options.joinsThisMachine = false
      options.logger.logLevel = .warning
      let client = try await Replica.open("benchmarks", options: options)
      options.isDaemon = true
      options.documentCountMax = 2 * documentCount
      let daemon = try await Replica.open("benchmarks", options: options)
      try await client.engine.connect(to: try await daemon.engine.bind(Transport.ipc.endpoint))
      var open: [DocumentHandle] = []
      for number in 0..<documentCount {
        guard let document = DocumentID("rest-\(number)") else { continue }
        for replica in [client, daemon] { open.append(try await replica.engine.open(document)) }
      }
      _ = await client.synchronize(atMost: .seconds(20))
      var seconds: [Double] = []
      for round in 0...(Scale.isQuick ? 1 : 5) {
        let (begin, computed) = (ContinuousClock.now, Sampling.processTime)
        try await Task.sleep(for: .seconds(2))
        let (passed, used) = (ContinuousClock.now - begin, Sampling.processTime - computed)
        guard round > 0 else { continue }
        seconds.append(Unit.microseconds.value(of: used) / Unit.microseconds.value(of: passed) * 1e6)
      }
      try await client.close()
      try await daemon.close()
      withExtendedLifetime(open) {}
      return [
        Figure(
          "rest", .microseconds, Sample(seconds),
          notes: ["computed in a second by both, \(documentCount) documents open at each"])
      ]
    }
  ]
}
