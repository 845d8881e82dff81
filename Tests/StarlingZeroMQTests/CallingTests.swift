import StarlingEngine
import StarlingZeroMQ
import Testing

@Suite struct `A datagram that is called out` {
  /// A port of this test's own, so that tests in other processes are not heard.
  private static func socket(_ port: Int) throws -> CallingSocket {
    try CallingSocket("239.255.74.8:\(port)", interface: "127.0.0.1")
  }

  /// What comes is there at once on loopback; the bound ends a test that fails.
  private static func hear(_ socket: CallingSocket, count: Int) -> [[UInt8]] {
    var heard: [[UInt8]] = []
    let end = ContinuousClock.now + .seconds(60)
    while heard.count < count, ContinuousClock.now < end {
      heard += socket.hear(atMost: 1)
    }
    return heard
  }

  @Test func `reaches all that listen, the caller too`() throws {
    let (first, second) = (try Self.socket(7501), try Self.socket(7501))
    first.call([1, 2, 3])
    #expect(Self.hear(first, count: 1) == [[1, 2, 3]])
    #expect(Self.hear(second, count: 1) == [[1, 2, 3]])
  }

  @Test func `has a bound, and what is read at a time too`() throws {
    let socket = try Self.socket(7502)
    socket.call([UInt8](repeating: 7, count: CallingSocket.byteCountMax + 1))
    for value in 0..<10 as Range<UInt8> { socket.call([value]) }
    #expect(Self.hear(socket, count: 10) == (0..<10).map { [$0] })
    #expect(socket.hear(atMost: 5).isEmpty)
  }

  @Test(arguments: ["127.0.0.1:7503", "239.255.74.8", "239.255.74.8:0", "[ff02::1]:7503", "name:7503"])
  func `needs a multicast address`(address: String) {
    let error = #expect(throws: LinkError.self) { try CallingSocket(address) }
    #expect(error?.code == .endpoint)
  }
}

@Suite struct `How far away an endpoint is` {
  @Test func `is told by its address and its key`() throws {
    let key = try KeyPair().publicKey
    let rows: [(String, ZeroMQLink.Reach?)] = [
      ("ipc:///run/a", .thisMachine), ("tcp://127.9.9.9:1", .thisMachine), ("tcp://[::1]:1", .thisMachine),
      ("tcp://[::ffff:127.0.0.1]:1", .thisMachine), ("tcp://localhost:1", .thisMachine), ("tcp://10.0.0.1:1", .anybody),
      ("tcp://[::ffff:10.0.0.1]:1", .anybody), ("tcp://[::]:1", .anybody), ("tcp://host:1", .anybody),
      ("tcp://\(key)@10.0.0.1:1", .key(key)), ("tcp://\(key)@127.0.0.1:1", .key(key)), ("tcp://127.0.0.1:0", nil),
      ("nonsense", nil),
    ]
    for (endpoint, reach) in rows { #expect(ZeroMQLink.reach(of: endpoint) == reach, "\(endpoint)") }
  }
}
