import StarlingEngine
import StarlingThread

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The two listening sockets of one endpoint.
///
/// They are made here and handed to libzmq (ZMQ_USE_FD), because libzmq unlinks whatever lies at an
/// ipc path before it binds: a second process would take the name of a living one and neither would know.
struct ListeningPair {
  /// With the port that was chosen.
  let endpoint: LinkEndpoint
  let ask: Int32
  let publish: Int32
  /// The files of an ipc endpoint.
  private let files: [SocketFile]

  /// - Parameters:
  ///   - key: the key that whoever dials a TCP endpoint must know us by; nil where we have none, and then listen on
  ///     loopback alone.
  ///   - owners: who may decide what lies at an ipc endpoint, and dial it.
  /// - Throws: `LinkError(.inUse)` where somebody listens, `.endpoint` beyond loopback without a key, `.system`.
  init(_ endpoint: LinkEndpoint, key: PublicKey?, for owners: Owners) throws(LinkError) {
    switch endpoint {
    case .ipc(let path): try self.init(path: path, for: owners)
    case .tcp(let host, let port, let named):
      guard named == nil || named == key else {
        throw LinkError(.endpoint, "'\(endpoint.text)' names a key that is not ours; leave it out to listen.")
      }
      try self.init(host: host, port: port, key: key)
    }
  }

  /// Gives the endpoint up, and closes the sockets that libzmq did not take.
  func abandon(_ channels: LinkEndpoint.Channel...) {
    remove()
    for channel in channels { close(channel == .ask ? ask : publish) }
  }

  /// Takes the endpoint's files away, so that nobody dials it any more. Done while it still listens:
  /// later, the name might be somebody else's.
  func remove() {
    guard case .ipc(let path) = endpoint else { return }
    let lock = try? DirectoryLock(around: path)
    for file in files { file.remove() }
    lock?.release()
  }

  // MARK: Unix sockets

  private init(path: String, for owners: Owners) throws(LinkError) {
    try SocketPlace(owners: owners).check(path)
    let lock = try DirectoryLock(around: path)
    defer { lock.release() }
    let paths = LinkEndpoint.Channel.allCases.map { path + LinkEndpoint.suffix(of: $0) }
    for path in paths { try SocketFile.clear(path) }
    let ask = try SocketFile.makeListener(at: paths[0], for: owners)
    do {
      publish = try SocketFile.makeListener(at: paths[1], for: owners)
    } catch {
      unlink(paths[0])
      close(ask)
      throw error
    }
    self.ask = ask
    endpoint = .ipc(path: path)
    files = paths.compactMap(SocketFile.init)
  }

  // MARK: TCP

  private static let attemptCountMax = 64

  private init(host: String, port: UInt16, key: PublicKey?) throws(LinkError) {
    let text = LinkEndpoint.tcp(host: host, port: port).text
    guard let address = NumericAddress(host) else {
      throw LinkError(.endpoint, "'\(text)' cannot be bound: write the address as numbers, as 127.0.0.1.")
    }
    guard key != nil || address.isLoopback else {
      throw LinkError(
        .endpoint,
        "'\(text)' lies beyond loopback: who can reach it could read and write everything. Make keys and "
          + "name the keys that they admit (starling keys), or bind tcp://127.0.0.1:\(port).")
    }
    var attempts = port == 0 ? Self.attemptCountMax : 1
    while true {
      attempts -= 1
      let (ask, chosen) = try Self.makeListener(address, port: port)
      do throws(LinkError) {
        // The port after the last does not exist, so the first of the pair must be another one.
        guard chosen < UInt16.max else { throw LinkError(.inUse, "Port 65535 has no successor.") }
        (publish, _) = try Self.makeListener(address, port: chosen + 1)
        self.ask = ask
        endpoint = .tcp(host: host, port: chosen, key: key)
        files = []
        return
      } catch {
        close(ask)
        guard error.code == .inUse, attempts > 0 else { throw error }
      }
    }
  }

  private static func makeListener(_ address: NumericAddress, port: UInt16) throws(LinkError) -> (Int32, UInt16) {
    let descriptor = Descriptor.makeSocket(address.family)
    guard descriptor >= 0 else { throw .ofSystem("No socket could be made") }
    // A port that was bound a moment ago is free again; one that is listened on is not.
    var isReusable: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReusable, socklen_t(MemoryLayout<Int32>.size))
    if address.family == AF_INET6 {
      // Whoever listens at an IPv6 address does not mean those of IPv4 too.
      setsockopt(
        descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &isReusable, socklen_t(MemoryLayout<Int32>.size))
    }
    let (isListening, chosen) = address.withSocketAddress(port: port) { name, byteCount in
      bind(descriptor, name, byteCount) == 0 && listen(descriptor, SocketFile.backlog) == 0
        && getsockname(descriptor, name, &byteCount) == 0
    }
    guard isListening else {
      let error = LinkError.ofSystem("Port \(port) cannot be bound", as: errno == EADDRINUSE ? .inUse : .system)
      close(descriptor)
      throw error
    }
    return (descriptor, chosen)
  }
}
