#if NATS
  import StarlingThread

  /// How the link's thread stands with the socket of a polled connection.
  struct SocketState {
    var isWatched = false
    /// Whether it may hold something to read.
    var isReadable = false
    /// Whether what was read is to be freed.
    var hasRead = false
    /// Whether it was written to since the last turn ended.
    var isWritten = false
    /// Whether it takes no more just now.
    var isFull = false
  }

  // The socket of a polled connection, which this thread reads and writes.
  extension Group {
    private static let socketName: UInt64 = 0

    func follow(_ change: Inbox.SocketChange) {
      if socket.isWatched { rounds.unwatch(Self.socketName, of: self) }
      socket = SocketState()
      guard case .opened(let descriptor) = change else { return }
      rounds.watch(descriptor, of: self, as: Self.socketName)
      (socket.isWatched, socket.isReadable) = (true, true)
    }

    /// What is published comes before what is said to us alone, which may speak of it, but for the key that opens it. It
    /// came over several subscriptions, and its senders numbered it.
    func readSocket(at now: ContinuousClock.Instant) {
      guard socket.isReadable else { return }
      guard let connection else {
        socket.isReadable = false
        return
      }
      var arrived: (group: [Envelope?], published: [Published], own: [Envelope?]) = ([], [], [])
      socket.hasRead = true
      socket.isReadable = connection.read { channel, bytes in
        let envelope = Envelope(decoding: [UInt8](bytes))
        switch (channel, envelope) {
        case (.group, _): arrived.group.append(envelope)
        case (.topic, let envelope?), (.only, let envelope?):
          arrived.published.append(Published(envelope: envelope, channel: channel))
        case (.own, _), (_, nil): arrived.own.append(envelope)
        }
      }
      for envelope in arrived.group { take(envelope, over: .group, at: now) }
      if arrived.published.contains(where: { $0.channel != arrived.published[0].channel }) {
        arrived.published.sort { $0.precedes($1) }
      }
      // The senders whose notes were taken: they are looked for once, however much comes under a key that never came.
      var noted: Set<MemberID> = []
      for published in arrived.published {
        let envelope = published.envelope
        if awaitsKey(envelope), noted.insert(envelope.sender).inserted {
          let isNote = { (own: Envelope?) in own?.kind == .noteDown && own?.sender == envelope.sender }
          for note in arrived.own.filter(isNote) { take(note, over: .own, at: now) }
          arrived.own.removeAll(where: isNote)
        }
        take(envelope, over: published.channel, at: now)
      }
      for envelope in arrived.own { take(envelope, over: .own, at: now) }
    }

    /// What a turn sends first goes at once, as somebody may wait for it; what follows goes together, when the turn ends.
    func writeFirst() {
      guard shared.isPolled, !socket.isWritten, let connection else { return }
      socket.isWritten = true
      _ = connection.write()
    }

    /// Ends a turn.
    func writeSocket() {
      socket.isWritten = false
      guard let connection else { return }
      defer {
        if socket.hasRead { connection.freeRead() }
        socket.hasRead = false
      }
      let isFull = !connection.write()
      guard isFull != socket.isFull, socket.isWatched else { return }
      socket.isFull = isFull
      rounds.setWrites(isFull, of: self, as: Self.socketName)
    }
  }

  private struct Published {
    let envelope: Envelope
    let channel: Inbox.Channel

    /// Of those of one sender and kind, the one that it sent first.
    func precedes(_ next: Published) -> Bool {
      let (one, other) = (envelope, next.envelope)
      guard one.sender == other.sender else { return one.sender.rawValue < other.sender.rawValue }
      return one.kind == other.kind ? one.order < other.order : one.kind.rawValue < other.kind.rawValue
    }
  }
#endif
