import CThread

extension Actor {
  /// Whether the caller runs on this actor. Never stops the program, as assuming it would.
  package nonisolated var isCurrent: Bool {
    // An executor is two words, its object and how to call that; so says its ABI.
    let (object, implementation) = unsafeBitCast(
      unownedExecutor, to: (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?).self)
    return starling_is_current_executor(object, implementation)
  }
}
