#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What is done at a signal, where the C libraries do not spell it alike.
extension sigaction {
  typealias Handler = @convention(c) (Int32) -> Void

  /// - Parameter handler: Calls nothing but what signal-safety(7) lists.
  init(_ handler: Handler, flags: Int32) {
    self.init()
    #if canImport(Glibc)
      __sigaction_handler.sa_handler = handler
    #elseif canImport(Musl)
      __sa_handler.sa_handler = handler
    #else
      __sigaction_u.__sa_handler = handler
    #endif
    sa_flags = flags
  }

  /// Nobody asked for anything else: SIG_DFL is the null pointer.
  var isStandard: Bool { address == 0 }

  private var address: Int {
    #if canImport(Glibc)
      unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self)
    #elseif canImport(Musl)
      unsafeBitCast(__sa_handler.sa_handler, to: Int.self)
    #else
      unsafeBitCast(__sigaction_u.__sa_handler, to: Int.self)
    #endif
  }

  /// What is done at a signal now.
  init(of signal: Int32) {
    self.init()
    sigaction(signal, nil, &self)
  }

  /// Has it done from now on.
  func install(for signal: Int32) {
    var action = self
    sigaction(signal, &action, nil)
  }
}
