import StarlingGuard

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What a command says while something takes long: how far it is, for how long, and what is left.
///
/// ```
///   Joining 'library' ██████░░░░░░░░░░░░░░░░░░ 25% (250 of 1000 operations), 4 s, about 12 s left
///   Waiting for another member, 3 s
/// ```
package struct ProgressLine: Equatable, Sendable {
  package var title: String
  /// How much is done, and how much there is; nil where nobody knows.
  package var count: Count?

  package struct Count: Equatable, Sendable {
    package var done: UInt64
    package var total: UInt64
    /// What is counted, in the plural.
    package var unit: String

    package init(_ done: UInt64, of total: UInt64, _ unit: String) {
      self.done = done
      self.total = total
      self.unit = unit
    }
  }

  package init(_ title: String, _ count: Count? = nil) {
    self.title = title
    self.count = count
  }

  /// What takes less is not spoken of.
  package static let patience = Duration.seconds(2)
  private static let barColumns: UInt64 = 24

  /// The line after some time, no wider than the terminal; nil while it is too early to speak of it.
  package func text(after elapsed: Duration, columns: Int) -> String? {
    guard elapsed >= Self.patience else { return nil }
    var text = title
    var left = ""
    if let count, count.total > 0 {
      let done = min(count.done, count.total)
      let filled = Int(done * Self.barColumns / count.total)
      let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Int(Self.barColumns) - filled)
      text += " \(bar) \(done * 100 / count.total)% (\(done) of \(count.total) \(count.unit))"
      // A guess from too little is worse than none.
      if done * 20 >= count.total, done < count.total {
        left = ", about \(Self.spoken(elapsed * Double(count.total - done) / Double(done))) left"
      }
    }
    text += ", \(Self.spoken(elapsed))\(left)"
    guard text.count >= columns else { return text }
    return columns < 2 ? "" : String(text.prefix(columns - 2)) + "…"
  }

  private static func spoken(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    return seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min \(seconds % 60) s"
  }
}

/// Draws progress on a line of standard error, over the line before, where that is a terminal; nothing anywhere else.
///
/// ```swift
/// let display = ProgressDisplay("Joining")
/// defer { display.end() }
/// display.show(ProgressLine.Count(250, of: 1000, "operations"))
/// ```
package final class ProgressDisplay: Sendable {
  private let state: Guarded<State>
  private let began = ContinuousClock.now

  private struct State {
    var line: ProgressLine
    var drawing: Task<Void, Never>?
    var isDrawn = false
    var isEnded = false
  }

  private static let interval = Duration.milliseconds(200)

  package init(_ title: String) {
    state = Guarded(State(line: ProgressLine(title)))
    guard isatty(STDERR_FILENO) == 1, !TerminalTraits.ofThisProcess.isDumb else { return }
    // Work that does not wait draws nothing itself, so a task of its own does.
    let drawing = Task.detached { [weak self] in
      while !Task.isCancelled {
        try? await Task.sleep(for: Self.interval)
        guard let self else { return }
        self.draw()
      }
    }
    state.withLock { $0.drawing = drawing }
  }

  deinit { end() }

  /// Says how far it is.
  package func show(_ count: ProgressLine.Count?) { state.withLock { $0.line.count = count } }

  /// Says what is done now.
  package func show(title: String) {
    state.withLock {
      $0.line.title = title
      $0.line.count = nil
    }
  }

  /// Takes the line away until it is drawn again: something is printed in its place.
  package func clear() {
    state.withLock { state in
      if state.isDrawn { Self.write("\r\u{1B}[K") }
      state.isDrawn = false
    }
  }

  /// Takes the line away for good. What is printed next stands at the beginning of it.
  package func end() {
    state.withLock { state in
      state.drawing?.cancel()
      if state.isDrawn, !state.isEnded { Self.write("\r\u{1B}[K") }
      state.isEnded = true
    }
  }

  private func draw() {
    let elapsed = ContinuousClock.now - began
    state.withLock { state in
      guard !state.isEnded, let text = state.line.text(after: elapsed, columns: Self.columns) else { return }
      state.isDrawn = true
      Self.write("\r\u{1B}[K" + text)
    }
  }

  private static var columns: Int {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  private static func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { writeErrors($0) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}

private func writeErrors(_ bytes: UnsafeRawBufferPointer) -> Int {
  write(STDERR_FILENO, bytes.baseAddress, bytes.count)
}
