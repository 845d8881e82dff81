#if NATS
  extension NATSLink {
    /// How much a link takes from others before it refuses, and how long it waits for them. What is
    /// refused is counted in `Counters`.
    public struct Limits: Sendable, Hashable {
      /// The largest frame taken or sent, in bytes. One that is larger than the server's `max_payload` travels in
      /// parts.
      public var frameByteCountMax = 32 << 20
      /// Bytes of frames that have arrived in part, all peers together.
      public var assemblyByteCountMax = 128 << 20
      /// Messages, and their bytes, that wait for the link's thread; later ones are lost, and pulled again by the
      /// engine. As many bytes may wait for a server that takes nothing.
      public var waitingMessageCountMax = 1 << 16
      public var waitingByteCountMax = 64 << 20
      /// Messages, and their bytes, that wait in libnats for each subscription between two reads; later ones are lost
      /// likewise.
      public var pendingMessageCountMax = 1 << 13
      public var pendingByteCountMax = 32 << 20
      /// Members of the group that are known at one time; what a further one says is not heard.
      public var memberCountMax = 1024
      /// How often members say that they are here.
      public var heartbeat: Duration = .seconds(1)
      /// A member that said nothing for so long is gone.
      public var silence: Duration = .seconds(5)
      /// Handshakes that are computed a second, where members prove keys; further ones wait for the next call.
      public var handshakesPerSecondMax = 256
      /// Sessions whose caller has not yet proved that it is there; a further one displaces the oldest.
      public var unprovedSessionCountMax = 256
      /// How long such a session stands.
      public var proving: Duration = .seconds(5)
      /// After so long it is told again that a member is kept out, if it still is.
      public var telling: Duration = .seconds(60)
      /// How long the first connection to a server may take.
      public var connecting: Duration = .seconds(2)
      /// How long a link waits before it tries again where no server answers.
      public var absent: Duration = .milliseconds(500)
      /// How long a link waits before it tries again where the servers refuse it.
      public var refused: Duration = .seconds(10)

      public init() {}
    }

    /// What a link has done and refused since it was made.
    public struct Counters: Sendable, Hashable {
      public var framesPublished: UInt64 = 0
      public var framesSent: UInt64 = 0
      public var framesReceived: UInt64 = 0
      /// Sends that found the peer or the server gone.
      public var framesUndelivered: UInt64 = 0
      /// Frames of ours that were larger than `Limits.frameByteCountMax`.
      public var framesTooLarge: UInt64 = 0
      /// Frames that were sent in parts.
      public var framesSplit: UInt64 = 0
      /// Frames that lacked a part, or for whose parts there was no space.
      public var framesIncomplete: UInt64 = 0
      /// Messages that found `Limits.waitingMessageCountMax` or `waitingByteCountMax` reached.
      public var overflows: UInt64 = 0
      /// Times that libnats reported a subscription whose pending limits were reached.
      public var slowConsumers: UInt64 = 0
      /// Messages of a shape that no link sends.
      public var malformed: UInt64 = 0
      /// Members that found `Limits.memberCountMax` reached.
      public var membersRefused: UInt64 = 0
      /// Sessions in which both members proved their keys, at each side once.
      public var handshakes: UInt64 = 0
      /// Handshakes that proved nothing: of another key, group or member, or changed.
      public var handshakesFailed: UInt64 = 0
      /// Handshakes that found `Limits.handshakesPerSecondMax` or `unprovedSessionCountMax` reached.
      public var handshakesPutOff: UInt64 = 0
      /// Keys that were shown and are not let in, and sessions whose key is let in no more.
      public var keysRefused: UInt64 = 0
      /// Messages that did not open: said again, out of turn, changed, or sealed for others; and those that are not
      /// sealed where they must be.
      public var messagesUnopened: UInt64 = 0
      /// Keys drawn for what is published to all relays.
      public var broadcastKeys: UInt64 = 0
      /// Times the connection to the cluster came back.
      public var reconnects: UInt64 = 0

      public init() {}
    }
  }
#endif
