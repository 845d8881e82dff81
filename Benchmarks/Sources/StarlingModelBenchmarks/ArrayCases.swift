import Measuring
import Starling

private let elementCount = Scale.count(100_000)
private let appendCount = 100

extension Case {
  static let arrays: [Case] = [
    // A number goes behind a hundred thousand others, in an array of Swift's: each append a transaction.
    Case("array-append") {
      let alone = try await Alone(Measurements.self)
      let measurements = alone.model
      measurements.values = Array(0..<elementCount)
      let sample = Sampling.sample(in: .microseconds, per: appendCount) {
        Sampling.computing { for number in 0..<appendCount { measurements.values.append(number) } }
      }
      try await alone.close()
      return [Figure("array-append", .microseconds, sample)]
    }
  ]
}
