import Foundation
import StarlingCore
import StarlingEngine
import StarlingWire
import StarlingZeroMQ

/// A program that answers whatever is said to it with the same bytes: one of another protocol. It lives on its link's
/// thread.
actor ForeignPeer {
  /// The greeting of a program that speaks only protocol versions to come.
  static let later = Message.hello(
    Message.Hello(
      lowestVersion: 8, highestVersion: 9, store: StoreID(rawValue: 8), epoch: 9, agent: "starling 9.0", endpoints: [],
      isDurable: false, relays: false, wantsReply: false)
  ).encoded()
  /// That of one whose protocol begins otherwise.
  static let other: [UInt8] = [1] + Array("Quux".utf8) + later.dropFirst(5)

  nonisolated let unownedExecutor: UnownedSerialExecutor
  private let link = ZeroMQLink()
  private let greeting: [UInt8]
  private var refusal: Message.Refusal?
  private var waiting: [CheckedContinuation<Message.Refusal, Never>] = []

  init(greeting: [UInt8]) {
    self.greeting = greeting
    unownedExecutor = link.executor.asUnownedSerialExecutor()
  }

  func start() throws {
    try link.start(tick: .milliseconds(10)) { [weak self] events in
      self?.assumeIsolated { $0.take(events) }
    }
  }

  func bind() throws -> String { try link.bind("tcp://127.0.0.1:0") }

  func dial(_ endpoint: String) throws { _ = try link.connect(to: endpoint) }

  func stop() { link.stop(linger: .zero) }

  /// The first refusal that it is told.
  func firstRefusal() async -> Message.Refusal {
    if let refusal { return refusal }
    return await withCheckedContinuation { waiting.append($0) }
  }

  private func take(_ events: [LinkEvent]) {
    for event in events {
      switch event {
      case .opened(let peer, dialled: true, _): _ = link.send(greeting, to: peer)
      case .direct(let peer, let bytes):
        _ = link.send(greeting, to: peer)
        guard refusal == nil, let message = try? Message(decoding: bytes), case .refuse(let told) = message else {
          continue
        }
        refusal = told
        for continuation in waiting { continuation.resume(returning: told) }
        waiting = []
      default: break
      }
    }
  }
}
