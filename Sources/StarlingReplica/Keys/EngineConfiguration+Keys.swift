import StarlingEngine
import StarlingZeroMQ

extension EngineConfiguration {
  /// Lets in the peers that the directory of keys names, for as long as it does.
  mutating func admit(by allowlist: Allowlist, audit: AuditLog) throws -> ZeroMQLink.Security {
    let directory = allowlist.directory
    self.allowlist = { key, isDialled in PublicKey(key).flatMap { allowlist.trust(in: $0, isDialled: isDialled) } }
    mayDial = { endpoint in
      guard case .key(let key)? = ZeroMQLink.reach(of: endpoint) else { return false }
      return allowlist.key(key)?.role == .relays
    }
    mayDialBack = { DialBack.isVouchedFor($0, by: $1) { allowlist.key($0)?.role == .relays } }
    writers = try directory.writers()
    let record = WriterRecord(directory)
    noteWriters = { bindings in
      do {
        try await record.keep(bindings)
      } catch {
        audit.note(AuditEntry(.writerUnkept, "Who writes as \(bindings.count) replica ids cannot be kept: \(error)"))
      }
    }
    equivocations = try directory.equivocations()
    noteEquivocation = { report in
      do {
        try directory.noteEquivocation(report)
      } catch {
        audit.note(
          AuditEntry(
            .allowlistUnreadable,
            "For what the writer of replica \(report.dot.replica) was suspended cannot be kept: \(error)"))
      }
    }
    suspend = { writer, explanation in
      do {
        try directory.suspend(writer, because: explanation)
      } catch {
        audit.note(AuditEntry(.allowlistUnreadable, "The key of '\(writer)' cannot be suspended: \(error)"))
      }
    }
    return ZeroMQLink.Security(keys: try directory.keys()) { allowlist.admits($0) }
  }
}
