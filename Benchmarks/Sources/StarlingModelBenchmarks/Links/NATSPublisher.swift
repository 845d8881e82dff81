#if NATS
  import CRawNATS
  import Foundation
  import Measuring

  /// NATS core: publish and subscribe of a server that is started for it, or of a cluster, through libnats. It has TCP
  /// alone.
  ///
  /// For latency every message is sent as it is published; for rate libnats gathers them, as it does by default.
  struct NATSPublisher: Publisher {
    let address: String
    private let server: Server?
    private let connection: OpaquePointer

    private static let subject = "benchmark"

    init(_ route: Route, for purpose: Purpose) throws {
      if let first = route.servers.first, let last = route.servers.last {
        server = nil
        address = last
        connection = try Self.connect(to: first, sendsAtOnce: purpose == .latency)
        return
      }
      let port = try Server.freePort()
      let server = try Server("nats-server") { folder in
        let file = folder + "/configuration"
        // A subscriber that is behind is not thrown out, as it would be with 64 MB by default.
        try "host: 127.0.0.1\nport: \(port)\nmax_pending: 1GB\n".write(toFile: file, atomically: true, encoding: .utf8)
        return ["-c", file]
      }
      let address = "nats://127.0.0.1:\(port)"
      self.address = address
      self.server = server
      connection = try server.whenReady { try Self.connect(to: address, sendsAtOnce: purpose == .latency) }
    }

    func write(_ message: Message) {
      _ = message.withBytes { natsConnection_Publish(connection, Self.subject, $0.baseAddress, CInt($0.count)) }
      if message.kind != .write { natsConnection_Flush(connection) }
    }

    func close() {
      natsConnection_Destroy(connection)
      server?.end()
    }

    static func receive(from address: String, _ heard: Medium.Heard) throws {
      let connection = try connect(to: address, sendsAtOnce: true)
      var subscription: OpaquePointer?
      try check(natsConnection_SubscribeSync(&subscription, connection, subject))
      // Without a bound, as all others here.
      try check(natsSubscription_SetPendingLimits(subscription, -1, -1))
      while true {
        var received: OpaquePointer?
        let status = natsSubscription_NextMsg(&received, subscription, 1000)
        if status == NATS_TIMEOUT { continue }
        try check(status)
        let bytes = UnsafeRawBufferPointer(
          start: natsMsg_GetData(received), count: Int(natsMsg_GetDataLength(received)))
        guard let message = Message(bytes: bytes) else { throw LinkFailure("NATS sent what nobody published.") }
        heard(message, 1)
        natsMsg_Destroy(received)
      }
    }

    // MARK: Calls of libnats

    static func connect(to address: String, sendsAtOnce: Bool) throws -> OpaquePointer {
      var options: OpaquePointer?
      try check(natsOptions_Create(&options))
      defer { natsOptions_Destroy(options) }
      try check(natsOptions_SetURL(options, address))
      try check(natsOptions_SetSendAsap(options, sendsAtOnce))
      var connection: OpaquePointer?
      try check(natsConnection_Connect(&connection, options))
      guard let connection else { throw LinkFailure("NATS gave no connection.") }
      return connection
    }

    static func check(_ status: natsStatus) throws {
      guard status == NATS_OK else { throw LinkFailure("NATS: \(String(cString: natsStatus_GetText(status)))") }
    }
  }
#endif
