/// Controls that belong together: side by side.
public struct ControlGroup<Content: View>: View {
  private let content: Content

  /// Puts controls side by side.
  public init(@ViewBuilder content: () -> Content) {
    self.content = content()
  }

  public var body: some View { HStack { content } }
}

/// How much of something there is: a bar.
public struct Gauge<Label: View>: View {
  private let fraction: Double
  private let label: Label

  /// Shows where `value` is in `bounds`.
  public init<Value: BinaryFloatingPoint>(
    value: Value, in bounds: ClosedRange<Value> = 0...1, @ViewBuilder label: () -> Label
  ) {
    let length = Double(bounds.upperBound - bounds.lowerBound)
    fraction = length > 0 ? Double(value - bounds.lowerBound) / length : 0
    self.label = label()
  }

  public var body: some View { ProgressView(value: fraction) { label } }
}
