/// A length that grows with the size of the text on Apple's systems. Here texts have one size, and it stays as it is.
@propertyWrapper public struct ScaledMetric<Value: BinaryFloatingPoint>: DynamicProperty {
  /// The length, in points.
  public let wrappedValue: Value

  /// A length, in points.
  public init(wrappedValue: Value) {
    self.wrappedValue = wrappedValue
  }

  /// A length, in points, that grows as a text style does.
  public init(wrappedValue: Value, relativeTo style: Font.TextStyle) {
    self.wrappedValue = wrappedValue
  }
}

extension ScaledMetric: Sendable where Value: Sendable {}
