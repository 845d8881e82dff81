public import Foundation

/// How something goes from one value to the next: along which curve, in what time.
public struct Animation: Hashable, Sendable {
  private var curve: Curve
  private var delay = 0.0
  private var speed = 1.0
  private var repeatCount = 1.0
  private var isAutoreversed = false

  /// What one run looks like, in seconds.
  fileprivate enum Curve: Hashable, Sendable {
    /// Through (0, 0), two control points and (1, 1).
    case bezier(Double, Double, Double, Double, duration: Double)
    case spring(duration: Double, bounce: Double)

    var duration: Double {
      switch self {
      case .bezier(_, _, _, _, let duration): duration
      // A spring has no end; after this it is within a hundredth of where it goes.
      case .spring(let duration, let bounce): duration * (bounce > 0 ? 1 + 2 * bounce : 1.2)
      }
    }
  }

  private init(_ curve: Curve) {
    self.curve = curve
  }

  /// What `withAnimation` takes where no animation is given: `easeInOut`.
  public static let `default` = Animation.easeInOut
  /// Equally fast throughout, in 0.35 seconds.
  public static let linear = linear(duration: 0.35)
  /// Slow at first, in 0.35 seconds.
  public static let easeIn = easeIn(duration: 0.35)
  /// Slow at last, in 0.35 seconds.
  public static let easeOut = easeOut(duration: 0.35)
  /// Slow at first and at last, in 0.35 seconds.
  public static let easeInOut = easeInOut(duration: 0.35)
  /// A spring of half a second that does not swing past its end.
  public static let spring = spring(duration: 0.5)
  /// A spring of half a second that swings past its end.
  public static let bouncy = spring(duration: 0.5, bounce: 0.3)
  /// A spring of half a second that does not swing past its end: the same as `spring`.
  public static let smooth = spring(duration: 0.5)
  /// A spring of half a second that swings a little past its end.
  public static let snappy = spring(duration: 0.5, bounce: 0.15)

  /// Equally fast throughout.
  ///
  /// - Parameter duration: In seconds.
  public static func linear(duration: TimeInterval) -> Animation { timingCurve(0, 0, 1, 1, duration: duration) }
  /// Slow at first.
  ///
  /// - Parameter duration: In seconds.
  public static func easeIn(duration: TimeInterval) -> Animation { timingCurve(0.42, 0, 1, 1, duration: duration) }
  /// Slow at last.
  ///
  /// - Parameter duration: In seconds.
  public static func easeOut(duration: TimeInterval) -> Animation { timingCurve(0, 0, 0.58, 1, duration: duration) }

  /// Slow at first and at last.
  ///
  /// - Parameter duration: In seconds.
  public static func easeInOut(duration: TimeInterval) -> Animation {
    timingCurve(0.42, 0, 0.58, 1, duration: duration)
  }

  /// Along a cubic Bézier curve from (0, 0) to (1, 1) with the control points (x1, y1) and (x2, y2), as the CSS
  /// function `cubic-bezier` describes it.
  ///
  /// - Parameters:
  ///   - x1: The time of the first control point, from 0 to 1.
  ///   - y1: The progress of the first control point; 1 is the end.
  ///   - x2: The time of the second control point, from 0 to 1.
  ///   - y2: The progress of the second control point.
  ///   - duration: In seconds.
  public static func timingCurve(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, duration: TimeInterval = 0.35
  ) -> Animation {
    Animation(.bezier(x1, y1, x2, y2, duration: duration))
  }

  /// As a damped spring moves.
  ///
  /// - Parameter duration: The seconds of one swing of the spring without damping.
  /// - Parameter bounce: How far it swings past its end: 0 not at all, towards 1 the further.
  /// - Parameter blendDuration: Has no effect; it is there so that programs written for SwiftUI compile.
  public static func spring(
    duration: TimeInterval = 0.5, bounce: Double = 0, blendDuration: Double = 0
  ) -> Animation {
    Animation(.spring(duration: duration, bounce: bounce))
  }

  /// As a damped spring moves, described by its response.
  ///
  /// - Parameter response: The seconds of one swing of the spring without damping.
  /// - Parameter dampingFraction: 1 does not swing past the end; less does.
  /// - Parameter blendDuration: Has no effect; it is there so that programs written for SwiftUI compile.
  @_disfavoredOverload public static func spring(
    response: Double = 0.5, dampingFraction: Double = 0.825, blendDuration: TimeInterval = 0
  ) -> Animation {
    Animation(.spring(duration: response, bounce: 1 - dampingFraction))
  }

  /// A spring that is quick enough to follow a finger.
  ///
  /// - Parameter response: The seconds of one swing of the spring without damping.
  /// - Parameter dampingFraction: 1 does not swing past the end; less does.
  /// - Parameter blendDuration: Has no effect; it is there so that programs written for SwiftUI compile.
  public static func interactiveSpring(
    response: Double = 0.15, dampingFraction: Double = 0.86, blendDuration: TimeInterval = 0.25
  ) -> Animation {
    spring(response: response, dampingFraction: dampingFraction)
  }

  /// Begins later.
  public func delay(_ delay: TimeInterval) -> Animation {
    var copy = self
    copy.delay += delay
    return copy
  }

  /// Runs `speed` times as fast.
  public func speed(_ speed: Double) -> Animation {
    var copy = self
    copy.speed *= speed
    return copy
  }

  /// Runs several times, every second time backwards unless `autoreverses` is false.
  public func repeatCount(_ repeatCount: Int, autoreverses: Bool = true) -> Animation {
    var copy = self
    copy.repeatCount = Double(repeatCount)
    copy.isAutoreversed = autoreverses
    return copy
  }

  /// Runs until another animation replaces it, every second time backwards unless `autoreverses` is false.
  public func repeatForever(autoreverses: Bool = true) -> Animation {
    var copy = self
    copy.repeatCount = .infinity
    copy.isAutoreversed = autoreverses
    return copy
  }

  // MARK: Sampling

  /// When the end is reached; nil: never.
  public var end: Duration? {
    repeatCount.isInfinite ? nil : .seconds(delay + curve.duration * repeatCount / speed)
  }

  /// How far the value has come, from 0 to 1; a spring may overshoot on its way.
  public func progress(after elapsed: Duration) -> Double {
    let (seconds, attoseconds) = elapsed.components
    return fraction(after: Double(seconds) + Double(attoseconds) / 1e18) ?? (endsAtStart ? 0 : 1)
  }

  /// How much of the way is done after `elapsed` seconds: nil once it is over.
  package func fraction(after elapsed: Double) -> Double? {
    let time = (elapsed - delay) * speed
    guard time > 0 else { return 0 }
    let duration = curve.duration
    guard duration > 0 else { return nil }
    let run = (time / duration).rounded(.down)
    guard run < repeatCount else { return nil }
    let fraction = curve.fraction(at: (time - run * duration) / duration)
    return isAutoreversed && run.truncatingRemainder(dividingBy: 2) == 1 ? 1 - fraction : fraction
  }

  /// Whether it ends where it began: an even number of runs, there and back.
  package var endsAtStart: Bool {
    isAutoreversed && repeatCount.truncatingRemainder(dividingBy: 2) == 0
  }
}

extension Animation.Curve {
  /// - Parameter time: Of a run, from 0 to 1.
  func fraction(at time: Double) -> Double {
    switch self {
    case .bezier(let x1, let y1, let x2, let y2, _) where x1 == y1 && x2 == y2: return time
    case .bezier(let x1, let y1, let x2, let y2, _):
      let parameter = Self.parameter(atX: time, x1, x2)
      return Self.bezier(parameter, y1, y2)
    case .spring(_, let bounce):
      // A damped oscillation from 0 towards 1, in units of the time in which it would oscillate undamped.
      let (elapsed, frequency) = (time * duration / springDuration, 2 * Double.pi)
      let damping = min(max(1 - bounce, 0.01), 1)
      if damping == 1 { return 1 - exp(-frequency * elapsed) * (1 + frequency * elapsed) }
      let damped = frequency * (1 - damping * damping).squareRoot()
      let phase = cos(damped * elapsed) + damping * frequency / damped * sin(damped * elapsed)
      return 1 - exp(-damping * frequency * elapsed) * phase
    }
  }

  private var springDuration: Double {
    if case .spring(let duration, _) = self { return duration }
    return duration
  }

  /// One coordinate of a cubic curve from 0 to 1.
  private static func bezier(_ t: Double, _ p1: Double, _ p2: Double) -> Double {
    let s = 1 - t
    return 3 * s * s * t * p1 + 3 * s * t * t * p2 + t * t * t
  }

  /// Where on the curve x is: by halving, since x only grows along it.
  private static func parameter(atX x: Double, _ x1: Double, _ x2: Double) -> Double {
    var (low, high) = (0.0, 1.0)
    for _ in 0..<40 {
      let middle = (low + high) / 2
      if bezier(middle, x1, x2) < x { low = middle } else { high = middle }
    }
    return (low + high) / 2
  }
}
