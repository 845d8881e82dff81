public import StarlingCore
public import StarlingWire

extension Connections {
  /// What is to be done, in this order.
  public enum Effect: Hashable, Sendable {
    case say(Message, to: PeerHandle)
    /// Tell the peer where the document stands.
    case sayHave(DocumentID, to: PeerHandle)
    case refuse(PeerHandle, Message.Refusal)
    /// The operator is told.
    case tell(News)
    /// Something that a peer may not do is counted.
    case countDenial
    case countOverdraft(Budgets.Resource)
    /// So is a document that is not opened for a peer.
    case countUnopened
    /// And something said of a document that one of both ends does not serve.
    case countElsewhere

    /// Tell the peer who we are, as we are when this is done.
    case greet(PeerHandle, wantsReply: Bool)
    /// The peer may be talked with: where it may be told anything here, go on with `welcome`.
    case admit(PeerHandle, Message.Hello)
    /// We answer ourselves at the endpoint.
    case metOurselves(at: String)
    /// The peer has said who it is: for those who decide which endpoints are dialled.
    case met(PeerHandle, Message.Hello)
    /// Another run speaks by the connection than before. It is told what every newcomer is.
    case newcomer(PeerHandle)
    /// Nothing stands any more of what the peer was told or asked.
    case forget(PeerHandle)
    /// Both sides begin again on the connection, or it ends.
    case beginAgain(PeerHandle)
    /// Relays are told what they have not heard, as far as `news(for:)` says.
    case tellRelays

    /// Tell the peer of every document where it stands, follow it there, or both.
    case begin(PeerHandle, serves: Bool, follows: Bool)
    case stopFollowing(PeerHandle)

    /// The log keeps whose replica ids these are, before anything that was written under them.
    case keep([WriterBinding])
    /// The log remembers `generations` as they are when it does.
    case rememberGenerations
    /// Everything is written under new replica ids from now on.
    case rename
    /// Whoever writes under that name is let in no more.
    case suspend(String, explanation: String, EquivocationReport)
  }

  /// What an operator may want to know.
  public enum News: Hashable, Sendable {
    case joined(StoreID, agent: String)
    case left(StoreID)
    case refused(StoreID?, explanation: String)
    case access(AccessEvent)
    case oneWayLink(OneWayLink)
    case rolledBack(from: UInt64, to: UInt64, toldBy: StoreID)
  }
}
