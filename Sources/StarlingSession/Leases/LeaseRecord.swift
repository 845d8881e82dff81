package import StarlingWire

/// What the log is to hold of a document's loans, and what is said once it does.
package struct LeaseRecord: Sendable {
  package struct Answer: Sendable {
    package let peer: PeerHandle
    package let holder: LeaseTable.Holder
    package let answer: Message.Leased.Answer

    package init(peer: PeerHandle, holder: LeaseTable.Holder, answer: Message.Leased.Answer) {
      self.peer = peer
      self.holder = holder
      self.answer = answer
    }
  }

  package internal(set) var entries: [LogLease]
  package internal(set) var answers: [Answer] = []
}
