public import Foundation
import StarlingModel

public enum ColorScheme: Hashable, CaseIterable, Sendable {
  case light
  case dark
}

public enum LayoutDirection: Hashable, CaseIterable, Sendable {
  case leftToRight
  case rightToLeft
}

/// How far a scene is from a person's eyes.
public enum ScenePhase: Comparable, Hashable, Sendable {
  case background
  case inactive
  case active
}

/// Dismisses what is presented: `@Environment(\.dismiss) private var dismiss`, then `dismiss()`.
@MainActor public struct DismissAction {
  let perform: (@MainActor () -> Void)?

  nonisolated init(_ perform: (@MainActor () -> Void)?) {
    self.perform = perform
  }

  public func callAsFunction() { perform?() }
}

/// Opens an address: the host's way, or that of `.environment(\.openURL, OpenURLAction { … })`.
@MainActor public struct OpenURLAction {
  public struct Result: Sendable {
    let isAccepted: Bool
    let other: URL?

    public static let handled = Result(isAccepted: true, other: nil)
    public static let discarded = Result(isAccepted: true, other: nil)
    public static let systemAction = Result(isAccepted: false, other: nil)
    public static func systemAction(_ url: URL) -> Result { Result(isAccepted: false, other: url) }
  }

  private let handler: @MainActor (URL) -> Result

  nonisolated public init(handler: @escaping @MainActor (URL) -> Result) {
    self.handler = handler
  }

  public func callAsFunction(_ url: URL) { _ = handler(url) }

  public func callAsFunction(_ url: URL, completion: @escaping (_ accepted: Bool) -> Void) {
    completion(handler(url).isAccepted)
  }
}

/// Loads a view's content again; there is one where `.refreshable` is around.
public struct RefreshAction: Sendable {
  let action: @Sendable () async -> Void

  public func callAsFunction() async { await action() }
}

extension EnvironmentValues {
  private static let colorSchemeKey = EntryKey(ColorScheme.light)
  private static let layoutDirectionKey = EntryKey(LayoutDirection.leftToRight)
  private static let scenePhaseKey = EntryKey(ScenePhase.active)
  private static let dismissKey = EntryKey(DismissAction(nil))
  private static let isPresentedKey = EntryKey(false)
  private static let openURLKey = EntryKey(OpenURLAction { _ in .systemAction })
  private static let refreshKey = EntryKey<RefreshAction?>(nil)
  private static let isEnabledKey = EntryKey(true)
  private static let localeKey = EntryKey(Locale.current)
  private static let calendarKey = EntryKey(Calendar.current)
  private static let timeZoneKey = EntryKey(TimeZone.current)
  private static let fontKey = EntryKey<Font?>(nil)
  private static let lineLimitKey = EntryKey<Int?>(nil)

  public var colorScheme: ColorScheme {
    get { self[Self.colorSchemeKey] }
    set { self[Self.colorSchemeKey] = newValue }
  }

  public var layoutDirection: LayoutDirection {
    get { self[Self.layoutDirectionKey] }
    set { self[Self.layoutDirectionKey] = newValue }
  }

  public var scenePhase: ScenePhase {
    get { self[Self.scenePhaseKey] }
    set { self[Self.scenePhaseKey] = newValue }
  }

  public internal(set) var dismiss: DismissAction {
    get { self[Self.dismissKey] }
    set { self[Self.dismissKey] = newValue }
  }

  public internal(set) var isPresented: Bool {
    get { self[Self.isPresentedKey] }
    set { self[Self.isPresentedKey] = newValue }
  }

  public var openURL: OpenURLAction {
    get { self[Self.openURLKey] }
    set { self[Self.openURLKey] = newValue }
  }

  public internal(set) var refresh: RefreshAction? {
    get { self[Self.refreshKey] }
    set { self[Self.refreshKey] = newValue }
  }

  /// Whether what stands here can be used.
  public var isEnabled: Bool {
    get { self[Self.isEnabledKey] }
    set { self[Self.isEnabledKey] = newValue }
  }

  public var locale: Locale {
    get { self[Self.localeKey] }
    set { self[Self.localeKey] = newValue }
  }

  public var calendar: Calendar {
    get { self[Self.calendarKey] }
    set { self[Self.calendarKey] = newValue }
  }

  public var timeZone: TimeZone {
    get { self[Self.timeZoneKey] }
    set { self[Self.timeZoneKey] = newValue }
  }

  public var font: Font? {
    get { self[Self.fontKey] }
    set { self[Self.fontKey] = newValue }
  }

  public var lineLimit: Int? {
    get { self[Self.lineLimitKey] }
    set { self[Self.lineLimitKey] = newValue }
  }
}

extension EnvironmentScope {
  /// Whether what stands here can be used; noted as read.
  var isEnabled: Bool { EnvironmentValues(in: self).isEnabled }
}
