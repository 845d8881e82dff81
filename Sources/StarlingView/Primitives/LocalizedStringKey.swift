public import Foundation

/// A text as it is written in a program. It is shown as it stands: there are no tables of translations here.
public struct LocalizedStringKey: ExpressibleByStringInterpolation, Hashable, Sendable {
  package let string: String

  public init(_ value: String) {
    string = value
  }

  public init(stringLiteral value: String) {
    string = value
  }

  public init(stringInterpolation: StringInterpolation) {
    string = stringInterpolation.string
  }

  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var string = ""

    public init(literalCapacity: Int, interpolationCount: Int) {
      string.reserveCapacity(literalCapacity)
    }

    public mutating func appendLiteral(_ literal: String) {
      string += literal
    }

    public mutating func appendInterpolation<Value>(_ value: Value) {
      string += "\(value)"
    }

    public mutating func appendInterpolation(_ text: Text) {
      string += text.content.string
    }

    public mutating func appendInterpolation<Value: CVarArg>(_ value: Value, specifier: String) {
      string += String(format: specifier, value)
    }

    public mutating func appendInterpolation<Format: FormatStyle>(
      _ value: Format.FormatInput, format: Format
    ) where Format.FormatOutput == String {
      string += format.format(value)
    }

    public mutating func appendInterpolation(_ date: Date, style: Text.DateStyle) {
      string += style.format(date)
    }
  }
}
