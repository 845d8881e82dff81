public import StarlingEngine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A socket for datagrams to all who listen on a multicast address of this network. Nothing that comes by it is proved,
/// and nothing is promised to arrive. It never blocks; what nobody reads, the system drops.
public final class CallingSocket: Sendable {
  /// Where datagrams are called out, as `239.255.74.7:7474`: an address for one site (RFC 2365), and a port.
  public static let standardAddress = "239.255.74.7:7474"
  /// The largest datagram that is taken; of a longer one nothing is.
  public static let byteCountMax = 512

  private let descriptor: Int32
  private let address: sockaddr_in

  /// - Parameters:
  ///   - address: an IPv4 multicast address and a port.
  ///   - interface: the address of the network interface to call on; nil as the system chooses.
  /// - Throws: `LinkError(.endpoint)` for an address that is none, `.system` where the system refuses.
  public init(_ address: String = standardAddress, interface: String? = nil) throws(LinkError) {
    let parts = address.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, case .v4(let group)? = NumericAddress(String(parts[0])), let port = UInt16(parts[1]),
      port > 0,
      UInt32(bigEndian: group.s_addr) >> 28 == 0b1110
    else {
      throw LinkError(.endpoint, "'\(address)' is no multicast address and port, as \(Self.standardAddress).")
    }
    var request = ip_mreq()
    request.imr_multiaddr = group
    if let interface {
      guard case .v4(let own)? = NumericAddress(interface) else {
        throw LinkError(.endpoint, "'\(interface)' is no IPv4 address of a network interface, as 127.0.0.1.")
      }
      request.imr_interface = own
    }
    let descriptor = Descriptor.makeDatagramSocket()
    guard descriptor >= 0 else { throw .ofSystem("No socket could be made") }
    var isShared: Int32 = 1
    // Each of several processes that listen on it gets a copy.
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<Int32>.size))
    #if !os(Linux)
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &isShared, socklen_t(MemoryLayout<Int32>.size))
    #endif
    let (isBound, _) = NumericAddress.v4(group).withSocketAddress(port: port) { bind(descriptor, $0, $1) == 0 }
    let protocolNumber = Int32(IPPROTO_IP)
    let isMember =
      isBound
      && setsockopt(
        descriptor, protocolNumber, IP_ADD_MEMBERSHIP, &request, socklen_t(MemoryLayout<ip_mreq>.size)) == 0
    let isDirected =
      interface == nil
      || setsockopt(
        descriptor, protocolNumber, IP_MULTICAST_IF, &request.imr_interface, socklen_t(MemoryLayout<in_addr>.size)) == 0
    guard isMember, isDirected else {
      let error = LinkError.ofSystem("'\(address)' cannot be listened on")
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr = group
    self.address = name
  }

  deinit {
    close(descriptor)
  }

  /// Calls out a datagram; one that the system does not take now is lost. Any thread.
  public func call(_ bytes: [UInt8]) {
    guard bytes.count <= Self.byteCountMax else { return }
    var address = address
    withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// What came since, at most so many datagrams. Any thread.
  public func hear(atMost countMax: Int) -> [[UInt8]] {
    var heard: [[UInt8]] = []
    // One byte more tells a datagram that was cut.
    var buffer = [UInt8](repeating: 0, count: Self.byteCountMax + 1)
    for _ in 0..<countMax {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count >= 0 else { break }
      if count <= Self.byteCountMax { heard.append(Array(buffer[..<count])) }
    }
    return heard
  }
}
