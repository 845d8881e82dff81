/// How the two connections of a dialled peer stand, as their monitors tell.
///
/// ```
///           ask    publish                       open?
///           ●      ●                             yes
///           ●      refused: we may only ask      yes: what is published comes directly
///           ●      lost, or not there yet        no
///           ○      whatever                      no
/// ```
///
/// A refusal is told twice: that the key was not admitted, and then that the connection is gone. The second must not
/// close what the first has opened.
struct DialledConnections {
  private var standing: Set<LinkEndpoint.Channel> = []
  /// Whether the other side did not let us subscribe, the last time that it was asked.
  private var isDirectOnly = false

  enum Turn { case opened, closed }

  var isOpen: Bool { standing.contains(.ask) && (isDirectOnly || standing.contains(.publish)) }

  /// - Returns: the peer's new state; nil where it stays as it was.
  mutating func hear(_ event: MonitorEvent, of channel: LinkEndpoint.Channel) -> Turn? {
    let wasOpen = isOpen
    switch event {
    case .standing:
      standing.insert(channel)
      if channel == .publish { isDirectOnly = false }
    case .gone: standing.remove(channel)
    case .notAdmitted: if channel == .publish { isDirectOnly = true }
    case .accepted, .connected, .failed, .notUnderstood: break
    }
    return isOpen == wasOpen ? nil : isOpen ? .opened : .closed
  }
}
