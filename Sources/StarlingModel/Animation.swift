#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How a value comes from what it was to what it is: along which curve, in how long, and when that begins.
public struct Animation: Hashable, Sendable {
  private enum Curve: Hashable {
    case linear
    /// With the two inner points of a cubic from (0, 0) to (1, 1).
    case cubic(Double, Double, Double, Double)
    /// Damped: 1 is without overshoot.
    case spring(damping: Double)
  }

  private var curve: Curve
  /// Once through the curve.
  public private(set) var duration: Duration
  private var wait = Duration.zero

  private init(_ curve: Curve, _ seconds: Double) {
    self.curve = curve
    duration = .seconds(seconds)
  }

  public static let `default` = easeInOut
  public static let linear = linear(duration: 0.35)
  public static let easeIn = easeIn(duration: 0.35)
  public static let easeOut = easeOut(duration: 0.35)
  public static let easeInOut = easeInOut(duration: 0.35)
  public static let spring = spring(duration: 0.5)

  /// - Parameter duration: In seconds, as below.
  public static func linear(duration: Double) -> Animation { Animation(.linear, duration) }
  public static func easeIn(duration: Double) -> Animation { Animation(.cubic(0.42, 0, 1, 1), duration) }
  public static func easeOut(duration: Double) -> Animation { Animation(.cubic(0, 0, 0.58, 1), duration) }
  public static func easeInOut(duration: Double) -> Animation { Animation(.cubic(0.42, 0, 0.58, 1), duration) }

  /// - Parameter bounce: 0 comes to rest without passing the end; towards 1 it swings ever longer.
  public static func spring(duration: Double = 0.5, bounce: Double = 0) -> Animation {
    Animation(.spring(damping: 1 - min(max(bounce, 0), 0.99)), duration)
  }

  /// The same, beginning that many seconds later.
  public func delay(_ seconds: Double) -> Animation {
    var copy = self
    copy.wait += .seconds(seconds)
    return copy
  }

  /// The same, that many times as fast, the waiting too.
  public func speed(_ factor: Double) -> Animation {
    var copy = self
    copy.duration = duration / factor
    copy.wait = wait / factor
    return copy
  }

  /// When the end is reached.
  public var end: Duration { wait + duration }

  /// How far the value has come, from 0 to 1; a spring may pass that meanwhile.
  public func progress(after elapsed: Duration) -> Double {
    if elapsed <= wait { return 0 }
    if elapsed >= end { return 1 }
    let time = (elapsed - wait) / duration
    switch curve {
    case .linear: return time
    case .cubic(let x1, let y1, let x2, let y2):
      return Self.cubic(y1, y2, at: Self.parameter(of: time, x1, x2))
    case .spring(let damping): return Self.spring(damping, at: time)
    }
  }

  private static func cubic(_ first: Double, _ second: Double, at t: Double) -> Double {
    3 * (1 - t) * (1 - t) * t * first + 3 * (1 - t) * t * t * second + t * t * t
  }

  /// Where on the curve `x` is reached, by halving: both inner points lie within (0, 1), so it only grows.
  private static func parameter(of x: Double, _ first: Double, _ second: Double) -> Double {
    var (low, high) = (0.0, 1.0)
    for _ in 0..<40 {
      let middle = (low + high) / 2
      if cubic(first, second, at: middle) < x { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}

extension Animation {
  /// A damped oscillator that has all but come to rest at 1.
  fileprivate static func spring(_ damping: Double, at time: Double) -> Double {
    let frequency = 2 * Double.pi
    if damping >= 1 { return 1 - exp(-frequency * time) * (1 + frequency * time) }
    let swing = frequency * (1 - damping * damping).squareRoot()
    let decay = exp(-damping * frequency * time)
    return 1 - decay * (cos(swing * time) + damping * frequency / swing * sin(swing * time))
  }
}
