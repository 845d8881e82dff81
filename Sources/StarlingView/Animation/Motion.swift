import StarlingBinding

/// A view on its way from one value to another.
@MainActor protocol Motion<Content> {
  associatedtype Content

  /// The view as it is to be shown now.
  func apply(to view: Content) -> Content

  /// - Returns: Whether it has arrived.
  func advance(to now: Duration) -> Bool

  /// Whether `view` is where it is going.
  func leads(to view: Content) -> Bool
}

/// The motion of a view whose data of type `Moving.AnimatableData` moves; `Moving` is `Content`.
@MainActor final class MotionOf<Content, Moving: Animatable>: Motion {
  private let start: Moving.AnimatableData
  private let end: Moving.AnimatableData
  private let animation: Animation
  private let began: Duration
  /// Done when the motion is over.
  private let completion: AnimationCompletion?
  private(set) var presented: Moving.AnimatableData

  init(
    from start: Moving.AnimatableData, to end: Moving.AnimatableData, animation: Animation,
    since now: Duration, _ completion: AnimationCompletion?
  ) {
    self.start = start
    self.end = end
    self.animation = animation
    began = now
    self.completion = completion
    presented = start
  }

  func apply(to view: Content) -> Content {
    guard var moving = view as? Moving else { return view }
    moving.animatableData = presented
    return moving as? Content ?? view
  }

  func advance(to now: Duration) -> Bool {
    guard let fraction = animation.fraction(after: (now - began).seconds) else {
      presented = animation.endsAtStart ? start : end
      return true
    }
    var way = end - start
    way.scale(by: fraction)
    presented = start + way
    return false
  }

  func leads(to view: Content) -> Bool { (view as? Moving)?.animatableData == end }
}

extension Duration {
  package var seconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }
}
