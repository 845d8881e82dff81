#if NATS
  package import StarlingCore
  import StarlingEngine

  // A store that moves into the stream, or out of it. One message decides where it is:
  //
  //   into     coming ──► copied, read again, compared ──► here        until "here" it is where it came from
  //   out of   copied, read again, compared ──► gone                   until "gone" it is in the stream
  extension JetStreamLog {
    /// What a stream says of a store that may have moved.
    package enum Place: Sendable, Equatable {
      /// Nothing was ever there.
      case empty
      case here(StoreID)
      /// Not yet: it is still at this place.
      case coming(StoreID, from: String)
      /// It is at this place.
      case gone(StoreID, to: String)
    }

    /// Looks, and displaces nobody.
    package func look() throws -> Place {
      guard try exists() else { return .empty }
      var opening = try beginOpening()
      try opening.follow()
      switch (opening.found.store, opening.found.move) {
      case (_, let move?):
        return move.stage == .gone ? .gone(move.store, to: move.place) : .coming(move.store, from: move.place)
      case (let store?, nil): return .here(store)
      case (nil, nil): return .empty
      }
    }

    /// Opens the log for a store that comes from `place`. What was in the stream counts no more.
    package func receive(_ store: StoreID, from place: String) throws {
      var opening = try beginOpening()
      let deadline = ContinuousClock.now + patience
      while .now < deadline {
        try opening.follow()
        if let session = try opening.take(for: MovedHead(.coming, of: store, place)) { return hold(session) }
      }
      throw opening.isContended
    }

    /// What was written is read from the servers again, before it is compared.
    package func reread() throws { try opened().reread() }

    /// The store that comes from `place` is here from now on.
    package func arrive(from place: String) throws {
      let session = try opened()
      try session.write(MovedHead(.here, of: session.store, place))
    }

    /// The store is at `place` from now on, and the log is closed.
    package func leave(to place: String) async throws {
      let session = try opened()
      try session.write(MovedHead(.gone, of: session.store, place))
      await release()
    }
  }
#endif
