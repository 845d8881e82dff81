public import CThread

/// What is told of a read on this thread. Every read of a model, a binding or a collection asks here, and nowhere else.
@frozen public struct Listeners: OptionSet, Sendable {
  public let rawValue: UInt8

  @inlinable public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// An observer or a derived value of the graph runs here.
  @inlinable public static var graph: Listeners { Listeners(rawValue: 1) }
  /// A scope of the standard library may run here, innermost: its registrar must be told.
  @inlinable public static var foreign: Listeners { Listeners(rawValue: 2) }

  /// Of the calling thread; none where reads are nobody's.
  @inlinable @inline(__always) public static var here: Listeners {
    let thread = starling_this_thread()
    // Most reads are made where nobody tracks anything: two words of this thread tell.
    if let word = thread.pointee.observation, word.pointee == nil { return thread.pointee.reader == nil ? [] : .graph }
    return tracking(on: thread)
  }

  @usableFromInline static func tracking(on thread: UnsafeMutablePointer<starling_thread_state>) -> Listeners {
    let isReading = thread.reader != nil
    guard let word = thread.observation else {
      return isReading ? .graph : thread.pointee.is_silent ? [] : .foreign
    }
    let list = word.pointee
    if list == nil || list == thread.pointee.own_list { return isReading ? .graph : [] }
    // A scope begun by a reader of the graph is heard as well as the reader.
    return isReading ? [.graph, .foreign] : .foreign
  }
}

/// Whether an observer of the graph runs here and its reads are noted.
public var isTracking: Bool { thisThread().reader != nil }

/// Runs `body` with its reads noted for nobody, neither in the graph nor by the standard library.
public func untracked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
  let thread = thisThread()
  let wasSilent = thread.pointee.is_silent
  thread.pointee.is_silent = true
  defer { thread.pointee.is_silent = wasSilent }
  return try thread.silently(body)
}

/// Keeps `object` for as long as what the present run of the current observer read counts. For what an observer reads
/// and nobody else holds.
package func keepForReader(_ object: AnyObject) {
  thisThread().reader?.own.pointee.kept.append(object)
}
