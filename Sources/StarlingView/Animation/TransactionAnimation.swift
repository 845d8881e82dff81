public import StarlingBinding

extension Transaction {
  private static let isContinuousKey = EntryKey(false)

  /// Whether it is one of many that a gesture makes.
  public var isContinuous: Bool {
    get { self[Self.isContinuousKey] }
    set { self[Self.isContinuousKey] = newValue }
  }

  var effectiveAnimation: Animation? { disablesAnimations ? nil : animation }

  /// Shows what it carries along `animation`, if it is to be animated at all.
  fileprivate mutating func animate(_ animation: Animation?) {
    if !disablesAnimations { self.animation = animation }
  }
}

/// Lets the transactions of changes inside pass through a function.
struct TransactionView<Content: View>: PrimitiveView {
  let content: Content
  let transform: (inout Transaction) -> Void

  func compose(in node: Node) -> Composition {
    node.transactionFilter = transform
    return Composition(content)
  }
}

/// Shows changes inside along an animation, in evaluations in which a value has changed.
struct ValueAnimationView<Content: View, Value: Equatable>: PrimitiveView {
  let content: Content
  let animation: Animation?
  let value: Value

  func compose(in node: Node) -> Composition {
    let last = node.memory { SeenValue(value) }
    let animation = animation
    let isChanged = last.value != value
    last.value = value
    node.transactionFilter = isChanged ? { $0.animate(animation) } : nil
    // What reads the value further in runs in this pass too, and after this; the next pass is another transaction.
    if isChanged { node.tree.afterPass { [weak node] in node?.transactionFilter = nil } }
    return Composition(content)
  }
}

extension View {
  /// Lets `transform` change the transactions with which what stands inside changes.
  public func transaction(_ transform: @escaping (inout Transaction) -> Void) -> some View {
    TransactionView(content: self, transform: transform)
  }

  /// Shows this view's changes along `animation` whenever `value` changes with them.
  public func animation(_ animation: Animation?, value: some Equatable) -> some View {
    ValueAnimationView(content: self, animation: animation, value: value)
  }

  /// Shows every change inside along an animation, whatever changed.
  @available(*, deprecated, message: "Use animation(_:value:) or withAnimation")
  public func animation(_ animation: Animation?) -> some View {
    TransactionView(content: self) { $0.animation = animation }
  }
}
