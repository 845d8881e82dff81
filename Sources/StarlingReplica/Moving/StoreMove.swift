package import StarlingCore
import StarlingEngine
import StarlingSQLite

#if NATS
  import StarlingNATS
#endif

/// Moves a daemon's store from its directory into a stream of a cluster, or back: with its name, its documents and
/// their history, and the replica id under which it wrote last.
///
/// At every moment one of the two is the store, and the other cannot be opened: one message in the stream decides. A
/// move that was broken off is finished by the same call.
package enum StoreMove {
  /// What was moved.
  package struct Report: Sendable {
    package var store: StoreID
    package var documentCount: Int
    /// Operations of all writers.
    package var operationCount: UInt64
  }

  #if NATS
    /// From the directory into the stream. No process may be using the store.
    ///
    /// - Parameters:
    ///   - directory: of the store.
    ///   - place: of the log; its name must be there.
    ///   - cluster: whose servers keep the stream.
    ///   - progress: told how many documents are copied, of as many.
    /// - Throws: `LogError`: `.busy` where a process uses the store, `.misuse` where another store is in the stream.
    /// - Complexity: O(bytes), in the memory of the largest document.
    package static func toStream(
      _ directory: String, _ place: BareReplica.Options.JetStream, at cluster: BareReplica.Options.Cluster,
      progress: (Int, Int) -> Void = { _, _ in }
    ) async throws -> Report {
      let name = place.name ?? ""
      let words = "the stream STARLING_\(name) of the cluster (starlingd --log jetstream --log-name \(name))"
      let wasBrokenOff = try SQLiteLog.move(of: directory) != nil
      let checked = try SQLiteLog.check(directory)
      guard checked.isWhole else {
        throw LogError(
          .corrupt, "The store in '\(directory)' is damaged: starling verify names what. Nothing was moved.")
      }
      let file = SQLiteLog(moving: directory)
      let stream = try place.log(at: cluster)
      let opened = try await file.open()
      do {
        if let refusal = opened.refusal { throw refusal }
        switch try await stream.look() {
        case .here(opened.store) where wasBrokenOff:
          // All of it was compared before it was there; a daemon may hold it by now.
          try await file.close(continuing: ReplicaID(rawValue: .random(in: 1 ... .max)))
          try await file.endMove()
          return Report(checked, of: opened.store)
        case .empty, .gone, .coming(opened.store, _): break
        case .here, .coming:
          throw LogError(
            .misuse,
            "Another store is in the stream STARLING_\(name). Choose another name (--log-name), or remove the stream.")
        }
        let copying = LogCopying(source: file, opened: opened, target: stream)
        try await stream.receive(opened.store, from: "'\(directory)'")
        try await copying.copy(progress)
        try await stream.reread()
        let operationCount = try await copying.compare()
        try await file.beginMove(to: words)
        try await stream.arrive(from: "'\(directory)'")
        // It is there from here on.
        try await stream.close(continuing: opened.replica ?? ReplicaID(rawValue: .random(in: 1 ... .max)))
        try await file.close(continuing: ReplicaID(rawValue: .random(in: 1 ... .max)))
        try await file.endMove()
        return Report(store: opened.store, documentCount: opened.documents.count, operationCount: operationCount)
      } catch {
        // Where the stream does not say that it is there, the store goes on in its directory.
        try? await file.close(continuing: opened.replica ?? ReplicaID(rawValue: .random(in: 1 ... .max)))
        throw error
      }
    }

    /// From the stream into a directory, which is made and must not be there, or be empty. No daemon may hold the log.
    ///
    /// - Parameters: as `toStream`.
    /// - Throws: `LogError`: `.busy` where a process that lives holds the log, `.misuse` where there is no store in the
    ///   stream or something is in the directory.
    /// - Complexity: O(bytes), in the memory of the largest document.
    package static func toDirectory(
      _ directory: String, _ place: BareReplica.Options.JetStream, at cluster: BareReplica.Options.Cluster,
      progress: (Int, Int) -> Void = { _, _ in }
    ) async throws -> Report {
      let name = place.name ?? ""
      let stream = try place.log(at: cluster)
      let words = "'\(directory)'"
      let arrival = SQLiteLog.arrivalPlace(of: directory)
      switch try await stream.look() {
      case .here: break
      case .gone(let store, words): return try arrive(store, at: directory)
      case .gone(_, let other):
        throw LogError(.misuse, "The store in the stream STARLING_\(name) moved to \(other) already.")
      case .coming(_, let other):
        throw LogError(
          .misuse, "A move from \(other) into the stream STARLING_\(name) was broken off. Finish that first.")
      case .empty: throw LogError(.misuse, "There is no store in the stream STARLING_\(name).")
      }
      try SQLiteLog.prepareArrival(at: directory)
      let opened = try await stream.open()
      do {
        let file = SQLiteLog(moving: arrival, store: opened.store)
        _ = try await file.open()
        let copying = LogCopying(source: stream, opened: opened, target: file)
        try await copying.copy(progress)
        let operationCount = try await copying.compare()
        try await file.close(continuing: opened.replica ?? ReplicaID(rawValue: .random(in: 1 ... .max)))
        guard try SQLiteLog.check(arrival).isWhole else {
          throw LogError(.corrupt, "The store that was made in '\(arrival)' is damaged. Nothing was moved.")
        }
        try await stream.leave(to: words)
        // It is here from here on.
        try SQLiteLog.arrive(at: directory)
        return Report(store: opened.store, documentCount: opened.documents.count, operationCount: operationCount)
      } catch {
        // Where the stream was not left, the store goes on in it.
        try? await stream.close(continuing: opened.replica ?? ReplicaID(rawValue: .random(in: 1 ... .max)))
        throw error
      }
    }

    /// Finishes a move that was broken off after the stream was left.
    private static func arrive(_ store: StoreID, at directory: String) throws -> Report {
      let arrival = SQLiteLog.arrivalPlace(of: directory)
      let report: StoreReport
      do {
        report = try SQLiteLog.check(arrival)
      } catch {
        // Nothing waits: the move was finished.
        report = try SQLiteLog.check(directory)
        guard report.store == store else { throw error }
        return Report(report, of: store)
      }
      guard report.isWhole, report.store == store else {
        throw LogError(
          .corrupt, "What waits in '\(arrival)' is not the whole store that left the stream. Put a backup in its place."
        )
      }
      try SQLiteLog.arrive(at: directory)
      return Report(report, of: store)
    }
  #else
    package static func toStream(
      _ directory: String, _ place: BareReplica.Options.JetStream, at cluster: BareReplica.Options.Cluster,
      progress: (Int, Int) -> Void = { _, _ in }
    ) async throws -> Report { throw isMissing }

    package static func toDirectory(
      _ directory: String, _ place: BareReplica.Options.JetStream, at cluster: BareReplica.Options.Cluster,
      progress: (Int, Int) -> Void = { _, _ in }
    ) async throws -> Report { throw isMissing }

    private static var isMissing: LogError {
      LogError(
        .misuse,
        "This program is built without NATS, so it moves no store into a stream. Build it with the package trait: "
          + "swift build --traits NATS (Scripts/prerequisites --with-nats installs what that needs).")
    }
  #endif
}

#if NATS
  extension StoreMove.Report {
    fileprivate init(_ report: StoreReport, of store: StoreID) {
      self.init(
        store: store, documentCount: report.documents.count { !$0.isForgotten },
        operationCount: report.documents.reduce(0) { $0 &+ $1.operationCount })
    }
  }

  extension BareReplica.Options.JetStream {
    fileprivate func log(at cluster: BareReplica.Options.Cluster) throws -> JetStreamLog {
      var limits = JetStreamLog.Limits()
      limits.byteCountMax = byteCountMax
      var lease = JetStreamLog.Lease()
      lease.duration = leaseDuration
      lease.renewal = leaseDuration / 5
      return try JetStreamLog(
        servers: cluster.servers, name: name ?? "", replicas: replicas, access: NATSAccess(cluster), limits: limits,
        lease: lease)
    }
  }
#endif
