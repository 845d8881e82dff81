public import Foundation

/// A text as it is written in a program. It is shown as it stands: there are no tables of translations here.
public struct LocalizedStringKey: ExpressibleByStringInterpolation, Hashable, Sendable {
  package let string: String

  /// Takes a text as it is.
  public init(_ value: String) {
    string = value
  }

  public init(stringLiteral value: String) {
    string = value
  }

  /// Takes what a literal with interpolations has put together.
  public init(stringInterpolation: StringInterpolation) {
    string = stringInterpolation.string
  }

  /// Puts a literal with interpolations together.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var string = ""

    /// Begins with nothing, and reserves the capacity.
    public init(literalCapacity: Int, interpolationCount: Int) {
      string.reserveCapacity(literalCapacity)
    }

    /// Adds a part of the literal.
    public mutating func appendLiteral(_ literal: String) {
      string += literal
    }

    /// Adds a value by its description.
    public mutating func appendInterpolation<Value>(_ value: Value) {
      string += "\(value)"
    }

    /// Adds the characters of a text, without its looks.
    public mutating func appendInterpolation(_ text: Text) {
      string += text.content.string
    }

    /// Adds a value by a format of `printf`, such as `%.2f`.
    public mutating func appendInterpolation<Value: CVarArg>(_ value: Value, specifier: String) {
      string += String(format: specifier, value)
    }

    /// Adds a value as a format style writes it.
    public mutating func appendInterpolation<Format: FormatStyle>(
      _ value: Format.FormatInput, format: Format
    ) where Format.FormatOutput == String {
      string += format.format(value)
    }

    /// Adds a date.
    public mutating func appendInterpolation(_ date: Date, style: Text.DateStyle) {
      string += style.format(date)
    }
  }
}
