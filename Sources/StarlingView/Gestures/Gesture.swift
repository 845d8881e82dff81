public import Foundation
public import StarlingBinding

/// What a person does with a view by pointing at it.
///
/// A headless host does it by `tap`, `longPress` and `drag`; a terminal with its mouse, which taps and drags, and with
/// Return, which taps.
@MainActor @preconcurrency public protocol Gesture<Value> {
  /// What is known of it while it goes on.
  associatedtype Value
}

/// What recognises a gesture, and what is told of it.
struct Recognizer<Value> {
  enum Kind: Hashable {
    case tap, longPress, drag
  }

  var kind: Kind
  /// What a step of it means.
  var value: (GestureStep) -> Value
  var changed: [@MainActor (Value) -> Void] = []
  var ended: [@MainActor (Value) -> Void] = []
  /// Called when it is over, however it ended.
  var over: [@MainActor () -> Void] = []

  @MainActor func take(_ step: GestureStep) {
    let value = value(step)
    for action in changed where !step.isLast || kind != .tap { action(value) }
    guard step.isLast else { return }
    for action in ended { action(value) }
    for action in over { action() }
  }
}

/// A gesture at one moment, in points.
struct GestureStep {
  var start = CGPoint.zero
  var location = CGPoint.zero
  var time = Date.now
  var isLast = true
}

/// A gesture that hosts recognise.
@MainActor protocol RecognizedGesture: Gesture {
  var recognizer: Recognizer<Value> { get }
}

/// A tap.
public struct TapGesture: Gesture, RecognizedGesture {
  public typealias Value = Void
  /// So many taps; here each tap counts as all of them.
  public init(count: Int = 1) {}
  var recognizer: Recognizer<Void> { Recognizer(kind: .tap, value: { _ in }) }
}

/// A tap that knows where it was.
public struct SpatialTapGesture: Gesture, RecognizedGesture {
  /// Where the tap was, in points.
  public struct Value: Equatable, Sendable {
    /// From the view's upper corner where lines begin.
    public var location: CGPoint
  }

  /// So many taps; here each tap counts as all of them.
  public init(count: Int = 1) {}
  var recognizer: Recognizer<Value> { Recognizer(kind: .tap, value: { Value(location: $0.location) }) }
}

/// A press that lasts.
public struct LongPressGesture: Gesture, RecognizedGesture {
  public typealias Value = Bool
  /// How long it lasts has no effect: a host says that it was long.
  public init(minimumDuration: Double = 0.5, maximumDistance: CGFloat = 10) {}
  var recognizer: Recognizer<Bool> { Recognizer(kind: .longPress, value: { _ in true }) }
}

/// A way that is drawn over a view.
public struct DragGesture: Gesture, RecognizedGesture {
  /// How far a drag has come, in points.
  public struct Value: Equatable, Sendable {
    /// When it was there.
    public var time: Date
    /// Where it is.
    public var location: CGPoint
    /// Where it began.
    public var startLocation: CGPoint

    /// From where it began to where it is.
    public var translation: CGSize {
      CGSize(width: location.x - startLocation.x, height: location.y - startLocation.y)
    }
    /// Where it would come to rest: here where it is.
    public var predictedEndLocation: CGPoint { location }
    /// From where it began to where it would come to rest.
    public var predictedEndTranslation: CGSize { translation }
    /// How fast it is: here it stands.
    public var velocity: CGSize { .zero }
  }

  /// How far it must go to be one has no effect.
  public init(minimumDistance: CGFloat = 10) {}
  /// How far it must go to be one, and in which space it is measured, have no effect.
  public init(minimumDistance: CGFloat = 10, coordinateSpace: CoordinateSpace) {}

  var recognizer: Recognizer<Value> {
    Recognizer(kind: .drag, value: { Value(time: $0.time, location: $0.location, startLocation: $0.start) })
  }
}

/// A gesture with something that hears of it.
public struct HeardGesture<Base: Gesture>: Gesture {
  public typealias Value = Base.Value
  let base: Base
  let add: @MainActor (inout Recognizer<Base.Value>) -> Void
}

extension HeardGesture: RecognizedGesture {
  var recognizer: Recognizer<Base.Value> {
    func open<Recognized: RecognizedGesture>(_ base: Recognized) -> Recognizer<Base.Value>? {
      base.recognizer as? Recognizer<Base.Value>
    }
    guard let recognized = base as? any RecognizedGesture, var recognizer = open(recognized) else {
      preconditionFailure("\(Base.self) is no gesture that hosts recognise.")
    }
    add(&recognizer)
    return recognizer
  }
}

extension Gesture {
  /// Does something when the gesture has ended.
  public func onEnded(_ action: @escaping (Value) -> Void) -> HeardGesture<Self> {
    HeardGesture(base: self) { $0.ended.append { action($0) } }
  }

  /// Keeps something about the gesture while it goes on; when it is over, the state is as at first.
  public func updating<State>(
    _ state: GestureState<State>, body: @escaping (Value, inout State, inout Transaction) -> Void
  ) -> HeardGesture<Self> {
    HeardGesture(base: self) { recognizer in
      recognizer.changed.append { value in
        var transaction = Transaction()
        var next = state.wrappedValue
        body(value, &next, &transaction)
        withTransaction(transaction) { state.store(next) }
      }
      recognizer.over.append { state.reset() }
    }
  }
}

extension Gesture where Value: Equatable {
  /// Does something whenever what is known of the gesture has changed.
  public func onChanged(_ action: @escaping (Value) -> Void) -> HeardGesture<Self> {
    HeardGesture(base: self) { $0.changed.append { action($0) } }
  }
}

/// Which gestures of a view count beside one that is added.
public struct GestureMask: OptionSet, Sendable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// None.
  public static let none: GestureMask = []
  /// The one that is added.
  public static let gesture = GestureMask(rawValue: 1)
  /// Those inside.
  public static let subviews = GestureMask(rawValue: 2)
  /// All.
  public static let all: GestureMask = [.gesture, .subviews]
}

/// A space in which places are measured. Here each view has its own.
public enum CoordinateSpace: Hashable, @unchecked Sendable {
  // Sendable: a name is a value that nobody changes.
  /// The host's screen.
  case global
  /// The view's own.
  case local
  /// That of a view with this name.
  case named(AnyHashable)
}

/// Hears of gestures.
struct GestureView<Content: View>: PrimitiveView {
  let content: Content
  let tap: (@MainActor (GestureStep) -> Void)?
  let longPress: (@MainActor (GestureStep) -> Void)?
  let drag: (@MainActor (GestureStep) -> Void)?

  func compose(in node: Node) -> Composition {
    let (tap, longPress, drag) = (tap, longPress, drag)
    let isEnabled = node.environment.isEnabled
    return Composition(content) { drawn in
      var element = drawn.all.count == 1 ? drawn.all[0] : Element(node, .group, drawn.all)
      if element.actions.tap != nil || element.actions.drag != nil { element = Element(node, .group, [element]) }
      element.style.isDisabled = !isEnabled
      if let tap { element.actions.tap = { tap(GestureStep()) } }
      element.actions.longPress = longPress
      element.actions.drag = drag
      return [element]
    }
  }
}

extension View {
  /// Hears of a gesture on the view.
  public func gesture<Heard: Gesture>(_ gesture: Heard, including mask: GestureMask = .all) -> some View {
    hearing(mask.contains(.gesture) ? gesture : nil)
  }

  /// Hears of a gesture on the view, before those inside it.
  public func highPriorityGesture<Heard: Gesture>(_ gesture: Heard, including mask: GestureMask = .all) -> some View {
    hearing(mask.contains(.gesture) ? gesture : nil)
  }

  /// Hears of a gesture on the view, beside those inside it.
  public func simultaneousGesture<Heard: Gesture>(_ gesture: Heard, including mask: GestureMask = .all) -> some View {
    hearing(mask.contains(.gesture) ? gesture : nil)
  }

  /// Does something when the view is pressed for long. How long has no effect.
  public func onLongPressGesture(
    minimumDuration: Double = 0.5, maximumDistance: CGFloat = 10, perform action: @escaping () -> Void,
    onPressingChanged: ((Bool) -> Void)? = nil
  ) -> some View {
    hearing(LongPressGesture().onEnded { _ in action() })
  }

  private func hearing<Heard: Gesture>(_ gesture: Heard?) -> some View {
    func recognizer<Recognized: RecognizedGesture>(
      _ gesture: Recognized
    ) -> (Recognizer<Int>.Kind, @MainActor (GestureStep) -> Void) {
      let recognizer = gesture.recognizer
      let kind: Recognizer<Int>.Kind =
        switch recognizer.kind {
        case .tap: .tap
        case .longPress: .longPress
        case .drag: .drag
        }
      return (kind, { recognizer.take($0) })
    }
    let heard = (gesture as? any RecognizedGesture).map { recognizer($0) }
    return GestureView(
      content: self, tap: heard?.0 == .tap ? heard?.1 : nil, longPress: heard?.0 == .longPress ? heard?.1 : nil,
      drag: heard?.0 == .drag ? heard?.1 : nil)
  }
}
