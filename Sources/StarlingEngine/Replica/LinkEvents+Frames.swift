import StarlingSession

extension ArraySlice<LinkEvent> {
  /// Takes the frames that it begins with and that one peer published: what they bring merges together.
  mutating func takeFrames(publishedBy peer: PeerHandle) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    while case .published(peer, let frame)? = first {
      frames.append(frame)
      removeFirst()
    }
    return frames
  }
}
