/// How much is done.
public struct ProgressView<Label: View>: View {
  public typealias Body = Never
  private let label: Label
  private let fraction: Double?

  /// Says under a label that something is being done.
  public init(@ViewBuilder label: () -> Label) {
    self.label = label()
    fraction = nil
  }

  /// Says how much of `total` is done, under a label; nil says that it is not known.
  public init<Value: BinaryFloatingPoint>(value: Value?, total: Value = 1, @ViewBuilder label: () -> Label) {
    self.label = label()
    fraction = value.map { total > 0 ? min(max(Double($0 / total), 0), 1) : 0 }
  }
}

extension ProgressView where Label == EmptyView {
  /// Says that something is being done.
  public init() {
    self.init { EmptyView() }
  }

  /// Says how much of `total` is done; nil says that it is not known.
  public init<Value: BinaryFloatingPoint>(value: Value?, total: Value = 1) {
    self.init(value: value, total: total) { EmptyView() }
  }
}

extension ProgressView where Label == Text {
  /// Says under a title that something is being done.
  public init(_ title: LocalizedStringKey) {
    self.init { Text(title) }
  }

  /// Says under a title that something is being done.
  @_disfavoredOverload public init(_ title: some StringProtocol) {
    self.init { Text(title) }
  }

  /// Says how much of `total` is done, under a title; nil says that it is not known.
  @_disfavoredOverload public init<Value: BinaryFloatingPoint>(
    _ title: some StringProtocol, value: Value?, total: Value = 1
  ) {
    self.init(value: value, total: total) { Text(title) }
  }

  /// Says how much of `total` is done, under a title; nil says that it is not known.
  public init<Value: BinaryFloatingPoint>(_ title: LocalizedStringKey, value: Value?, total: Value = 1) {
    self.init(value: value, total: total) { Text(title) }
  }
}

extension ProgressView where Label == AnyView {
  /// The progress view that a style sees, as hosts draw it.
  public init(_ configuration: ProgressViewStyleConfiguration) {
    label = configuration.label.map { AnyView($0) } ?? AnyView(EmptyView())
    fraction = configuration.fractionCompleted
  }
}

extension ProgressView: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    let fraction = fraction
    if let style = EnvironmentValues(in: node.environment).progressViewStyle {
      let shown = label is EmptyView ? nil : ProgressViewStyleConfiguration.Label(content: label)
      let configuration = ProgressViewStyleConfiguration(fractionCompleted: fraction, label: shown)
      return Composition(styled: style(configuration), in: node) { $0.progressViewStyle = nil }
    }
    return Composition(label) { [Element(node, .progress(fraction: fraction), $0.all)] }
  }
}
