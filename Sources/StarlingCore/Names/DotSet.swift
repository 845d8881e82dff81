/// The dots that an operation takes away, in the order in which its writer named them: ascending, in
/// a well-formed change.
///
/// ```
/// none                       nothing stood there
/// one(dot)                   one entry: nearly every write there is, and nothing is allocated
/// many([dot, dot, ...])      two and more: the write settles a conflict
/// ```
public struct DotSet: Hashable, Sendable {
  private enum Storage: Hashable, Sendable {
    case none
    case one(Dot)
    case many([Dot])
  }

  private var storage: Storage

  public init() {
    storage = .none
  }

  @inline(__always)
  public init(_ dot: Dot) {
    storage = .one(dot)
  }

  public init(_ dots: some Sequence<Dot>) {
    let dots = Array(dots)
    switch dots.count {
    case 0: storage = .none
    case 1: storage = .one(dots[0])
    default: storage = .many(dots)
    }
  }

  /// Whether it is `dot` and nothing else.
  @inline(__always)
  public func isOnly(_ dot: Dot) -> Bool {
    if case .one(let only) = storage { only == dot } else { false }
  }
}

extension DotSet: RandomAccessCollection {
  public var startIndex: Int { 0 }

  public var endIndex: Int {
    switch storage {
    case .none: 0
    case .one: 1
    case .many(let dots): dots.count
    }
  }

  public subscript(place: Int) -> Dot {
    switch storage {
    case .none: preconditionFailure("Dot \(place) of none.")
    case .one(let dot):
      precondition(place == 0, "Dot \(place) of one.")
      return dot
    case .many(let dots): return dots[place]
    }
  }
}

extension DotSet: ExpressibleByArrayLiteral {
  public init(arrayLiteral dots: Dot...) {
    self.init(dots)
  }
}

extension DotSet: CustomStringConvertible {
  public var description: String { Array(self).description }
}
