/// Views for a preview in an editor. Nothing here shows them: they are type-checked, and leave no code.
@freestanding(declaration)
public macro Preview(_ name: String? = nil, @ViewBuilder body: @escaping @MainActor () -> any View) =
  #externalMacro(module: "StarlingMacros", type: "PreviewMacro")

/// The same with traits, which have no effect.
@freestanding(declaration)
public macro Preview(
  _ name: String? = nil, traits: PreviewTrait..., @ViewBuilder body: @escaping @MainActor () -> any View
) = #externalMacro(module: "StarlingMacros", type: "PreviewMacro")

/// Marks a state in a preview.
@attached(peer)
public macro Previewable() = #externalMacro(module: "StarlingMacros", type: "MarkerMacro")

/// How an editor shows a preview.
public struct PreviewTrait: Hashable, Sendable {
  private let name: String
  /// On a screen that lies.
  public static let landscapeLeft = PreviewTrait(name: "landscapeLeft")
  /// On a screen that lies.
  public static let landscapeRight = PreviewTrait(name: "landscapeRight")
  /// On a screen that stands.
  public static let portrait = PreviewTrait(name: "portrait")
  /// As large as the view.
  public static let sizeThatFitsLayout = PreviewTrait(name: "sizeThatFitsLayout")

  /// In a size in points.
  public static func fixedLayout(width: Double, height: Double) -> PreviewTrait { .sizeThatFitsLayout }
}

extension View {
  /// Names the view in an editor's preview; nothing here shows it.
  public func previewDisplayName(_ name: String?) -> some View { self }
  /// Says how large an editor's preview is; nothing here shows it.
  public func previewLayout(_ layout: PreviewLayout) -> some View { self }
  /// Says of what device an editor's preview is; nothing here shows it.
  public func previewDevice(_ device: PreviewDevice?) -> some View { self }
}

/// How large an editor's preview is.
public enum PreviewLayout: Hashable, Sendable {
  /// As the device, as the view, or in points.
  case device, sizeThatFits, fixed(width: Double, height: Double)
}

/// A device, by its name.
public struct PreviewDevice: ExpressibleByStringLiteral, RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  public init(stringLiteral value: String) {
    rawValue = value
  }
}
