import StarlingModel
package import StarlingTerminal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Shows views in a terminal, and takes what a person does there.
///
/// ```swift
/// let host = TerminalHost { BookView(book: book) }
/// try await host.run()
/// ```
///
/// ```
///   Tab ⇧Tab ↑ ↓     to the next thing that can be used, or the one before; scrolls where there is none
///   ← →              changes what has several values: a picker, a stepper, a slider, tabs
///   Return, space    presses it
///   Esc              leaves a field, closes what lies over the rest, or goes back to the screen before
///   Delete Alt+↑ ↓   deletes the row, or moves it, where the program lets one
///   Ctrl+O           opens the menu of what has the focus; so do Shift+F10 and the right mouse button
///   /                to the field in which one searches
///   Page Up/Down     scrolls
///   Ctrl+L Ctrl+Z    draws everything again; stops the program until the shell continues it
///   Ctrl+C           ends
/// ```
///
/// A frame is drawn when something changed, and only what differs from the last one is sent. Over a slow line there are
/// fewer frames, not later ones.
@MainActor public final class TerminalHost {
  package let tree: ViewTree
  private let screen: TerminalScreen
  private let usesMouse: Bool
  private var session: TerminalSession?
  private var difference = FrameDifference(for: TerminalTraits())
  /// What the terminal shows; nil where nobody knows.
  private var shown: Canvas?
  private var isMoving = false
  /// The rate at which animations are looked at.
  private static let frameTime = Duration.milliseconds(33)

  /// - Parameters:
  ///   - mouse: Whether presses and the wheel are taken. Selecting text then needs the terminal's own key.
  ///   - content: The view to show.
  public convenience init(mouse: Bool = false, @ViewBuilder _ content: () -> some View) {
    let tree = ViewTree()
    tree.show(content())
    self.init(tree, mouse: mouse)
  }

  /// Shows the scenes of a program.
  public convenience init<Program: App>(app: Program.Type, mouse: Bool = false) {
    let tree = ViewTree()
    tree.show(AppView(app: app.init()))
    self.init(tree, mouse: mouse)
  }

  init(_ tree: ViewTree, mouse: Bool) {
    self.tree = tree
    usesMouse = mouse
    screen = TerminalScreen(tree, size: CellSize(columns: 80, rows: 24))
  }

  isolated deinit {
    tree.close()
  }

  // MARK: Running

  /// Takes the terminal until the person ends it, the terminal is gone, the task is cancelled or somebody calls `stop`,
  /// and gives it back as it was. Views disappear then.
  ///
  /// - Throws: An error that says what to do, where standard output is no terminal or a host has it already.
  public func run() async throws {
    try await run(on: STDOUT_FILENO)
  }

  package func run(on descriptor: Int32) async throws {
    let traits = TerminalTraits.ofThisProcess
    var modes: TerminalModes = traits.isDumb ? [] : [.screen, .focus]
    if usesMouse, !traits.isDumb { modes.insert(.mouse) }
    difference = FrameDifference(for: traits)
    let session = try TerminalSession(descriptor, modes: modes)
    self.session = session
    ViewDiagnostics.hold()
    defer { ViewDiagnostics.release() }
    screen.size = session.size
    let (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    tree.onWake { waker.yield() }
    let waking = Task { for await _ in wakes { draw() } }
    draw()
    await withTaskCancellationHandler {
      for await event in session.events where take(event) { draw() }
    } onCancel: {
      session.close()
    }
    waking.cancel()
    session.close()
    self.session = nil
    shown = nil
    tree.close()
  }

  /// Ends `run`.
  public func stop() { session?.close() }

  /// - Returns: Whether there is something to draw.
  private func take(_ event: TerminalEvent) -> Bool {
    switch event {
    case .input(.key(Key("c", .control))): stop()
    case .input(.key(Key("z", .control))):
      tree.setEnvironment { $0.scenePhase = .background }
      tree.settle()
      session?.suspend()
    case .input(.key(Key("l", .control))): shown = nil
    case .input(let input): return receive(input)
    case .resized(let size): screen.size = size
    case .resumed:
      tree.setEnvironment { $0.scenePhase = .active }
      shown = nil
    case .sent: break
    case .ended: return false
    }
    return true
  }

  /// Takes what a person did: what they do with the terminal's window is told to the views.
  @discardableResult package func receive(_ input: TerminalInput) -> Bool {
    guard case .focus(let isActive) = input else { return screen.take(input) }
    tree.setEnvironment { $0.scenePhase = isActive ? .active : .inactive }
    return true
  }

  /// Sends what differs from what the terminal shows. While it is busy with the last frame, this one waits.
  private func draw() {
    guard let session, !session.isSending else { return }
    let canvas = screen.draw()
    if canvas != shown {
      session.send(difference.bytes(from: shown, to: canvas))
      shown = canvas
    }
    if tree.isAnimating || !tree.timers.isEmpty, !isMoving { move() }
  }

  /// Moves the clock of animations on for as long as something moves.
  private func move() {
    isMoving = true
    Task {
      let clock = ContinuousClock()
      var last = clock.now
      while tree.isAnimating || !tree.timers.isEmpty, session != nil {
        // Whatever is done at longer intervals, something may begin to move before that.
        let due = tree.timers.nextDue.map { max($0 - tree.now, .milliseconds(1)) } ?? Self.frameTime
        try? await clock.sleep(for: min(due, Self.frameTime))
        let now = clock.now
        tree.advance(by: now - last)
        last = now
        draw()
      }
      isMoving = false
    }
  }

  // MARK: Tests

  /// What would be seen in a terminal of such a size.
  package func canvas(columns: Int, rows: Int) -> Canvas {
    screen.size = CellSize(columns: columns, rows: rows)
    return screen.draw()
  }

  /// Takes what a person did, as if it came from a terminal.
  package func take(_ input: TerminalInput) { screen.take(input) }
}
