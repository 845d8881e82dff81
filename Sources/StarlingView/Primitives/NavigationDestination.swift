public import StarlingBinding
import StarlingModel

/// Says which view stands for values of a type.
struct DestinationView<Content: View, Value: Hashable, Shown: View>: PrimitiveView {
  let content: Content
  let destination: (Value) -> Shown

  func compose(in node: Node) -> Composition {
    let destination = destination
    EnvironmentValues(in: node.environment).trail?.destinations.declare(Value.self, by: node) { value in
      guard let value = value.base as? Value else { return AnyView(EmptyView()) }
      return AnyView(destination(value))
    }
    return Composition(content)
  }
}

/// Puts a view on top of the stack as long as a binding says so.
struct PresentedDestination<Content: View, Shown: View>: PrimitiveView {
  let content: Content
  let isPresented: Binding<Bool>
  let destination: () -> Shown

  func compose(in node: Node) -> Composition {
    let trail = EnvironmentValues(in: node.environment).trail
    let isFirst = (node.memoryIfMade() as ViewBox?) == nil
    let box = node.memory { ViewBox() }
    let (destination, isPresented) = (destination, isPresented)
    box.make = { AnyView(destination()) }
    let isShown = isPresented.wrappedValue
    if isShown { box.refresh(in: node.tree) }
    node.tree.afterPass { [weak node] in
      guard let node, node.isAlive else { return }
      if isShown { trail?.show(box) { isPresented.wrappedValue = false } } else { trail?.hide(box) }
    }
    if isFirst { node.onRemoval { [weak trail] in trail?.hide(box) } }
    return Composition(content)
  }
}

extension View {
  /// Says which view stands for values of a type, in the stack around this view: a link's, or those of its path. Where
  /// several say it for a type, the outermost counts.
  public func navigationDestination<Value: Hashable>(
    for type: Value.Type, @ViewBuilder destination: @escaping (Value) -> some View
  ) -> some View {
    DestinationView(content: self, destination: destination)
  }

  /// Puts a view on top of the stack while `isPresented` is true; going back makes it false.
  public func navigationDestination(
    isPresented: Binding<Bool>, @ViewBuilder destination: @escaping () -> some View
  ) -> some View {
    PresentedDestination(content: self, isPresented: isPresented, destination: destination)
  }

  /// Puts a view on top of the stack while `item` is not nil; going back makes it nil.
  public func navigationDestination<Item: Hashable>(
    item: Binding<Item?>, @ViewBuilder destination: @escaping (Item) -> some View
  ) -> some View {
    let isPresented = Binding<Bool>(
      location: item.location?.appending("isPresented"), read: { item.wrappedValue != nil },
      write: { if !$0 { item.wrappedValue = nil } })
    return PresentedDestination(content: self, isPresented: isPresented) {
      item.wrappedValue.map { item in Group { destination(item) }.id(item) }
    }
  }
}
