import Foundation
import StarlingModel

/// Hears a publisher while a view is in the tree.
struct ReceivingView<Content: View, Heard: Publisher>: PrimitiveView {
  let content: Content
  let publisher: Heard
  let action: (Heard.Output) -> Void

  func compose(in node: Node) -> Composition {
    let hearing = node.memory { Hearing<Heard.Output>() }
    hearing.action = action
    if hearing.subscription == nil {
      hearing.subscription = subscription(in: node) { [weak hearing] in hearing?.action?($0) }
      node.onRemoval { hearing.subscription?.cancel() }
    }
    return Composition(content)
  }

  /// A publisher is heard from the first evaluation on: another one in its place is taken for the same.
  private func subscription(in node: Node, _ receive: @escaping (Heard.Output) -> Void) -> AnyCancellable {
    if let timer = publisher as? TimerPublisher, let receive = receive as? (Date) -> Void {
      return node.tree.every(timer.interval) { receive(.now) }
    }
    return publisher.sink(receiveValue: receive)
  }
}

private final class Hearing<Output> {
  var action: ((Output) -> Void)?
  var subscription: AnyCancellable?
}

extension View {
  /// Does something with each value that `publisher` hands out while the view is in the tree. What is sent must be sent on
  /// the main actor.
  public func onReceive<Heard: Publisher>(
    _ publisher: Heard, perform action: @escaping (Heard.Output) -> Void
  ) -> some View {
    ReceivingView(content: self, publisher: publisher, action: action)
  }
}
