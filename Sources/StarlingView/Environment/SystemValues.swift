public import Foundation
import StarlingModel

/// Whether a screen is light or dark.
public enum ColorScheme: Hashable, CaseIterable, Sendable {
  /// Dark on light.
  case light
  /// Light on dark.
  case dark
}

/// In which direction lines run.
public enum LayoutDirection: Hashable, CaseIterable, Sendable {
  /// As in English.
  case leftToRight
  /// As in Arabic.
  case rightToLeft
}

/// How far a scene is from a person's eyes.
public enum ScenePhase: Comparable, Hashable, Sendable {
  /// Not to be seen.
  case background
  /// To be seen, and not used.
  case inactive
  /// Used.
  case active
}

/// Dismisses what is presented: `@Environment(\.dismiss) private var dismiss`, then `dismiss()`.
@MainActor public struct DismissAction {
  let perform: (@MainActor () -> Void)?

  nonisolated init(_ perform: (@MainActor () -> Void)?) {
    self.perform = perform
  }

  /// Dismisses what the view is presented in; does nothing where it is not presented.
  public func callAsFunction() { perform?() }
}

/// Opens an address: the host's way, or that of `.environment(\.openURL, OpenURLAction { … })`.
@MainActor public struct OpenURLAction {
  /// The outcome of opening an address.
  public struct Result: Sendable {
    let isAccepted: Bool
    let other: URL?

    /// It was opened.
    public static let handled = Result(isAccepted: true, other: nil)
    /// It need not be opened.
    public static let discarded = Result(isAccepted: true, other: nil)
    /// The host shall open it.
    public static let systemAction = Result(isAccepted: false, other: nil)
    /// The host shall open another address in its place.
    public static func systemAction(_ url: URL) -> Result { Result(isAccepted: false, other: url) }
  }

  private let handler: @MainActor (URL) -> Result

  /// Opens addresses by `handler` instead of the host.
  nonisolated public init(handler: @escaping @MainActor (URL) -> Result) {
    self.handler = handler
  }

  /// Opens an address.
  public func callAsFunction(_ url: URL) { _ = handler(url) }

  /// Opens an address and says whether it was accepted.
  public func callAsFunction(_ url: URL, completion: @escaping (_ accepted: Bool) -> Void) {
    completion(handler(url).isAccepted)
  }
}

/// Loads a view's content again; there is one where `.refreshable` is around.
public struct RefreshAction: Sendable {
  let action: @Sendable () async -> Void

  /// Loads the content again, and returns when that is done.
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

  /// Whether the screen is light or dark.
  public var colorScheme: ColorScheme {
    get { self[Self.colorSchemeKey] }
    set { self[Self.colorSchemeKey] = newValue }
  }

  /// In which direction lines run.
  public var layoutDirection: LayoutDirection {
    get { self[Self.layoutDirectionKey] }
    set { self[Self.layoutDirectionKey] = newValue }
  }

  /// How far the scene is from a person's eyes.
  public var scenePhase: ScenePhase {
    get { self[Self.scenePhaseKey] }
    set { self[Self.scenePhaseKey] = newValue }
  }

  /// Dismisses what the view is presented in.
  public internal(set) var dismiss: DismissAction {
    get { self[Self.dismissKey] }
    set { self[Self.dismissKey] = newValue }
  }

  /// Whether the view is presented over another.
  public internal(set) var isPresented: Bool {
    get { self[Self.isPresentedKey] }
    set { self[Self.isPresentedKey] = newValue }
  }

  /// Opens an address.
  public var openURL: OpenURLAction {
    get { self[Self.openURLKey] }
    set { self[Self.openURLKey] = newValue }
  }

  /// Loads the content again; nil where no `.refreshable` is around.
  public internal(set) var refresh: RefreshAction? {
    get { self[Self.refreshKey] }
    set { self[Self.refreshKey] = newValue }
  }

  /// Whether what stands here can be used.
  public var isEnabled: Bool {
    get { self[Self.isEnabledKey] }
    set { self[Self.isEnabledKey] = newValue }
  }

  /// In which language and customs values are written out.
  public var locale: Locale {
    get { self[Self.localeKey] }
    set { self[Self.localeKey] = newValue }
  }

  /// By which calendar dates are written out.
  public var calendar: Calendar {
    get { self[Self.calendarKey] }
    set { self[Self.calendarKey] = newValue }
  }

  /// In which time zone dates are written out.
  public var timeZone: TimeZone {
    get { self[Self.timeZoneKey] }
    set { self[Self.timeZoneKey] = newValue }
  }

  /// The font of texts that name none.
  public var font: Font? {
    get { self[Self.fontKey] }
    set { self[Self.fontKey] = newValue }
  }

  /// How many lines a text may have; nil for any number.
  public var lineLimit: Int? {
    get { self[Self.lineLimitKey] }
    set { self[Self.lineLimitKey] = newValue }
  }
}

extension EnvironmentScope {
  /// Whether what stands here can be used; noted as read.
  var isEnabled: Bool { EnvironmentValues(in: self).isEnabled }
}
