public import Foundation
public import StarlingBinding
import StarlingModel

/// How much space there is one way, as Apple's devices tell.
public enum UserInterfaceSizeClass: Hashable, Sendable {
  /// Little.
  case compact
  /// Enough.
  case regular
}

/// Whether a view is presented, for older programs: `dismiss` does the same.
public struct PresentationMode {
  /// Whether it is presented over another.
  public let isPresented: Bool
  let perform: DismissAction?

  /// Dismisses what the view is presented in.
  @MainActor public mutating func dismiss() { perform?() }
}

/// Opens a window; hosts here have one, so nothing happens.
@MainActor public struct OpenWindowAction {
  nonisolated init() {}
  /// Does nothing.
  public func callAsFunction(id: String) { WithoutEffect.report("openWindow") }
  /// Does nothing.
  public func callAsFunction<Value: Codable & Hashable>(value: Value) { WithoutEffect.report("openWindow") }
  /// Does nothing.
  public func callAsFunction<Value: Codable & Hashable>(id: String, value: Value) {
    WithoutEffect.report("openWindow")
  }
}

/// Whether colours stand out more.
public enum ColorSchemeContrast: Hashable, CaseIterable, Sendable {
  /// As usual, or more.
  case standard, increased
}

extension EnvironmentValues {
  private static let horizontalSizeClassKey = EntryKey<UserInterfaceSizeClass?>(.regular)
  private static let verticalSizeClassKey = EntryKey<UserInterfaceSizeClass?>(.regular)
  private static let dynamicTypeSizeKey = EntryKey(DynamicTypeSize.large)
  private static let isFocusedKey = EntryKey(false)
  private static let openWindowKey = EntryKey(OpenWindowAction())

  /// How much space there is from side to side: here enough.
  public var horizontalSizeClass: UserInterfaceSizeClass? {
    get { self[Self.horizontalSizeClassKey] }
    set { self[Self.horizontalSizeClassKey] = newValue }
  }

  /// How much space there is from top to bottom: here enough.
  public var verticalSizeClass: UserInterfaceSizeClass? {
    get { self[Self.verticalSizeClassKey] }
    set { self[Self.verticalSizeClassKey] = newValue }
  }

  /// How large texts are: characters have one size here.
  public var dynamicTypeSize: DynamicTypeSize {
    get { self[Self.dynamicTypeSizeKey] }
    set { self[Self.dynamicTypeSizeKey] = newValue }
  }

  /// Whether the view has the focus. Hosts here draw the focus themselves: always false.
  public var isFocused: Bool { self[Self.isFocusedKey] }

  /// Opens a window: does nothing here.
  public var openWindow: OpenWindowAction { self[Self.openWindowKey] }

  /// Whether the view is presented, for older programs.
  @MainActor public var presentationMode: Binding<PresentationMode> {
    let (isPresented, dismiss) = (isPresented, dismiss)
    return Binding(
      location: nil, read: { PresentationMode(isPresented: isPresented, perform: dismiss) }, write: { _ in })
  }

  /// Whether colours stand out more.
  public var colorSchemeContrast: ColorSchemeContrast { .standard }
  /// Pixels a point.
  public var displayScale: CGFloat { 1 }
  /// The length of a pixel, in points.
  public var pixelLength: CGFloat { 1 }
  /// Whether moving things are to be avoided.
  public var accessibilityReduceMotion: Bool { false }
  /// Whether translucent things are to be avoided.
  public var accessibilityReduceTransparency: Bool { false }
  /// Whether colours alone must not tell things apart: a terminal may have none.
  public var accessibilityDifferentiateWithoutColor: Bool { true }
  /// Whether what is shown is spoken.
  public var accessibilityVoiceOverEnabled: Bool { false }
  /// Whether a program may have several windows.
  public var supportsMultipleWindows: Bool { false }
}
