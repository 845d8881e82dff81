import StarlingGraph
import StarlingGuard

/// An object that says before it changes. For programs written before `@Observable`; views that observe one run
/// again whatever of it changed.
public protocol ObservableObject: AnyObject {
  /// Tells before the object changes.
  var objectWillChange: ObservableObjectPublisher { get }
}

extension ObservableObject {
  /// A publisher that is made for the object when first asked for, and is the same as long as the object lives.
  public var objectWillChange: ObservableObjectPublisher { PublisherTable.shared.publisher(for: self) }
}

/// Tells those who asked, and the views that observe the object, that it is about to change.
public final class ObservableObjectPublisher: Sendable {
  private let home = Home()
  private let source = Source()
  private let sinks = Sinks<Void>()

  /// A publisher that nobody hears yet.
  public init() {}

  /// Tells.
  public func send() {
    sinks.send(())
    source.touch(in: home)
  }

  /// Calls `receive` before each change, until what is returned is cancelled or released.
  public func sink(receiveValue receive: @escaping (()) -> Void) -> AnyCancellable { sinks.add(receive) }

  /// Notes that what is evaluated depends on all of the object.
  func track() {
    source.track(in: home)
  }
}

/// A property whose writes are told before they are made.
@propertyWrapper public struct Published<Value> {
  private var value: Value
  private let sinks = Sinks<Value>()

  /// Stores a first value; nobody is told.
  public init(wrappedValue: Value) {
    value = wrappedValue
  }

  /// Stores a first value; nobody is told.
  public init(initialValue: Value) {
    value = initialValue
  }

  /// Refused: only a class can say that it is about to change.
  @available(*, unavailable, message: "@Published is only available on properties of classes")
  public var wrappedValue: Value {
    get { value }
    set { value = newValue }
  }

  /// The property's value; a write is told before it is made.
  public static subscript<Object: AnyObject>(
    _enclosingInstance object: Object, wrapped wrapped: ReferenceWritableKeyPath<Object, Value>,
    storage storage: ReferenceWritableKeyPath<Object, Published<Value>>
  ) -> Value {
    get { object[keyPath: storage].value }
    set {
      (object as? any ObservableObject)?.objectWillChange.send()
      object[keyPath: storage].sinks.send(newValue)
      object[keyPath: storage].value = newValue
    }
  }

  /// Hands out the present value and then each new one, before it is stored.
  public struct Publisher {
    fileprivate let value: Value
    fileprivate let sinks: Sinks<Value>

    /// Hands the present value, and then each new one before it is stored, to `receive`.
    ///
    /// - Returns: What ends this when it is cancelled or released.
    public func sink(receiveValue receive: @escaping (Value) -> Void) -> AnyCancellable {
      receive(value)
      return sinks.add(receive)
    }
  }

  /// Hands out the property's values.
  public var projectedValue: Publisher { Publisher(value: value, sinks: sinks) }
}

extension Published: Sendable where Value: Sendable {}

/// Ends a subscription when it is cancelled or released.
public final class AnyCancellable: Hashable, Sendable {
  private struct End {
    var body: (@Sendable () -> Void)?
  }

  private let end: Guarded<End>

  /// Runs `cancel` when it is cancelled or released, once.
  public init(_ cancel: @escaping @Sendable () -> Void) {
    end = Guarded(End(body: cancel))
  }

  /// Ends the subscription; a second call does nothing.
  public func cancel() {
    let body = end.withLock { end in
      defer { end.body = nil }
      return end.body
    }
    body?()
  }

  deinit {
    cancel()
  }

  /// Keeps the subscription in a set, which holds it until it is taken out.
  public func store(in set: inout Set<AnyCancellable>) {
    set.insert(self)
  }

  public static func == (left: AnyCancellable, right: AnyCancellable) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

/// The subscribers, in the order in which they came.
final class Sinks<Value>: Sendable {
  private struct Sink: @unchecked Sendable {
    // Sendable: called on the thread that sends, which is the object's, and so is who subscribed.
    let number: Int
    let receive: (Value) -> Void
  }

  private struct State {
    var sinks: [Sink] = []
    var lastNumber = 0
  }

  private let state = Guarded(State())

  func send(_ value: Value) {
    for sink in state.withLock({ $0.sinks }) { sink.receive(value) }
  }

  func add(_ receive: @escaping (Value) -> Void) -> AnyCancellable {
    let sink = Sink(number: 0, receive: receive)
    let number = state.withLock { state in
      state.lastNumber += 1
      state.sinks.append(Sink(number: state.lastNumber, receive: sink.receive))
      return state.lastNumber
    }
    return AnyCancellable { [weak self] in
      // What the closure holds is released with the lock open.
      let gone = self?.state.withLock { state in
        let gone = state.sinks.filter { $0.number == number }
        state.sinks.removeAll { $0.number == number }
        return gone
      }
      withExtendedLifetime(gone) {}
    }
  }
}

/// The publishers of objects that did not bring their own.
private final class PublisherTable: Sendable {
  static let shared = PublisherTable()

  private struct Entry {
    weak var object: AnyObject?
    let publisher: ObservableObjectPublisher
  }

  private struct State: @unchecked Sendable {
    // Sendable: what is in it is looked at under the table's lock.
    var entries: [ObjectIdentifier: Entry] = [:]
    var sweepCount = 64
  }

  private let state = Guarded(State())

  /// What a look at the table brought out of it. It is released with the lock open: a publisher's receivers may hold
  /// what is the user's, and an object that is looked at may be held by nobody else any more.
  private struct Found: @unchecked Sendable {
    // Sendable: it stays with the thread that looked.
    var publisher: ObservableObjectPublisher
    var objects: [AnyObject] = []
    var gone: [Entry] = []
  }

  func publisher(for object: AnyObject) -> ObservableObjectPublisher {
    let (id, fresh) = (ObjectIdentifier(object), ObservableObjectPublisher())
    nonisolated(unsafe) let object = object  // Only its identity is looked at under the lock.
    let found = state.withLock { state in
      var found = Found(publisher: fresh)
      if let entry = state.entries[id] {
        if let known = entry.object {
          found.objects.append(known)
          if known === object {
            found.publisher = entry.publisher
            return found
          }
        }
        found.gone.append(entry)
      }
      state.entries[id] = Entry(object: object, publisher: fresh)
      if state.entries.count > state.sweepCount {
        for (id, entry) in state.entries {
          if let known = entry.object {
            found.objects.append(known)
          } else {
            found.gone.append(entry)
            state.entries[id] = nil
          }
        }
        state.sweepCount = max(64, state.entries.count * 2)
      }
      return found
    }
    withExtendedLifetime(found) {}
    return found.publisher
  }
}
