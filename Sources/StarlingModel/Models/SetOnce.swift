public import Synchronization

/// A reference that is set once and then stays; of two that set it at once the first wins.
///
/// The standard library's `AtomicLazyReference` is the same, and looks its type up with every load: it is compiled into
/// its library alone. This is compiled into who loads.
@usableFromInline struct SetOnce<Object: AnyObject>: ~Copyable, @unchecked Sendable {
  // Sendable: the word is atomic; what it points to is Sendable or guarded by the holder of this, and is never taken
  // away.
  @usableFromInline let word = Atomic<UnsafeRawPointer?>(nil)

  init() {}

  deinit {
    guard let address = word.load(ordering: .acquiring) else { return }
    Unmanaged<Object>.fromOpaque(address).release()
  }

  @inlinable @inline(__always) borrowing func load() -> Object? {
    guard let address = word.load(ordering: .acquiring) else { return nil }
    return Unmanaged<Object>.fromOpaque(address).takeUnretainedValue()
  }

  /// Runs `body` on the object, which lives as long as the holder of this, and is not retained for it: of an object to
  /// which there are weak references that takes longer than what `body` mostly does.
  ///
  /// - Returns: Nil where nothing is set.
  @inlinable @inline(__always) borrowing func withLoaded<Result>(_ body: (Object) -> Result) -> Result? {
    guard let address = word.load(ordering: .acquiring) else { return nil }
    return Unmanaged<Object>.fromOpaque(address)._withUnsafeGuaranteedRef(body)
  }

  /// - Returns: What is set now: `object`, or what was set before.
  borrowing func setIfNil(_ object: Object) -> Object {
    let mine = Unmanaged.passRetained(object)
    let (isSet, former) = word.compareExchange(
      expected: nil, desired: UnsafeRawPointer(mine.toOpaque()), ordering: .acquiringAndReleasing)
    if isSet { return object }
    mine.release()
    return Unmanaged<Object>.fromOpaque(former!).takeUnretainedValue()
  }
}
