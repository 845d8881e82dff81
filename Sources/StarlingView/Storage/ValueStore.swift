public import Foundation
import StarlingGraph
import StarlingGuard

/// Keeps small values under names: what `@AppStorage` and `@SceneStorage` are written to.
///
/// Values are texts. A store notes who read which key in a view, and wakes them when it is written, whoever writes:
/// another process behind a replicated document as well.
public protocol ValueStore: AnyObject, Sendable {
  /// The text under a key, noted as read; nil: there is none.
  func text(for key: String) -> String?

  /// Writes the text under a key; nil takes it away.
  func setText(_ text: String?, for key: String)
}

/// A store that forgets everything with the process.
public final class MemoryStore: ValueStore {
  private let home = Home()
  private let sources = KeyedSources<String>()
  private let texts: Guarded<[String: String]>

  /// Begins with these texts.
  public init(_ texts: [String: String] = [:]) {
    self.texts = Guarded(texts)
  }

  public func text(for key: String) -> String? {
    sources.track(key, in: home)
    return texts.withLock { $0[key] }
  }

  public func setText(_ text: String?, for key: String) {
    let isChanged = texts.withLock { texts in
      defer { texts[key] = text }
      return texts[key] != text
    }
    if isChanged { sources.touch([key], in: home) }
  }
}

/// A store in one file, which is replaced whole at each write: after a crash it holds what stood before or after.
///
/// One process owns a file. A file that cannot be read counts as empty and is replaced at the next write; one that
/// cannot be written is reported, and the values stay in memory.
public final class FileStore: ValueStore {
  private let url: URL
  private let home = Home()
  private let sources = KeyedSources<String>()
  private let state: Guarded<State>

  /// What is shown and what is written are one: whoever writes last is last in both.
  private struct State {
    var texts: [String: String]
    /// Whether the file lacks something of it, since it could not be written.
    var isFileBehind = false
  }

  /// Opens the store in the file at `url`; one that cannot be read counts as empty.
  public init(_ url: URL) {
    self.url = url
    let texts = (try? Data(contentsOf: url)).flatMap { try? JSONDecoder().decode([String: String].self, from: $0) }
    state = Guarded(State(texts: texts ?? [:]))
  }

  /// The store of this program: `NAME/storage.json` in the user's folder for state.
  public static let standard = FileStore(folder.appending(path: "storage.json"))

  /// `$XDG_STATE_HOME/NAME`, or `~/.local/state/NAME`.
  private static var folder: URL {
    let named = ProcessInfo.processInfo.environment["XDG_STATE_HOME"].flatMap { $0.isEmpty ? nil : $0 }
    let base =
      named.map { URL(filePath: $0) } ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/state")
    return base.appending(path: ProcessInfo.processInfo.processName)
  }

  public func text(for key: String) -> String? {
    sources.track(key, in: home)
    return state.withLock { $0.texts[key] }
  }

  /// Writes the file, also for an equal value where it could not be written before.
  public func setText(_ text: String?, for key: String) {
    let (isChanged, failure) = state.withLock { state -> (Bool, String?) in
      let isChanged = state.texts[key] != text
      guard isChanged || state.isFileBehind else { return (false, nil) }
      state.texts[key] = text
      let failure = save(state.texts)
      state.isFileBehind = failure != nil
      return (isChanged, failure)
    }
    if let failure { ViewDiagnostics.report(.unreadableValue, failure) }
    if isChanged { sources.touch([key], in: home) }
  }

  /// - Returns: What went wrong.
  private func save(_ contents: [String: String]) -> String? {
    do {
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      // `atomic` writes a file beside it and renames that.
      try encoder.encode(contents).write(to: url, options: .atomic)
      return nil
    } catch {
      return
        "'\(url.path(percentEncoded: false))' could not be written (\(error)); what was to be kept is in memory only."
    }
  }
}

/// A store in the defaults of the system.
final class DefaultsStore: ValueStore, @unchecked Sendable {
  // Sendable: `UserDefaults` may be used from any thread; the rest is immutable or guarded by the graph's lock.
  private let defaults: UserDefaults
  private let home = Home()
  private let sources = KeyedSources<String>()
  private let keys = Guarded<Set<String>>([])
  /// One a `UserDefaults`, for as long as the process lives: it is what tells of writes that others make.
  private static let made = Guarded<[ObjectIdentifier: DefaultsStore]>([:])

  private init(_ defaults: UserDefaults) {
    self.defaults = defaults
  }

  static func of(_ defaults: UserDefaults) -> DefaultsStore {
    let fresh = DefaultsStore(defaults)
    let id = ObjectIdentifier(defaults)
    let (store, isNew) = made.withLock { made in
      if let known = made[id] { return (known, false) }
      made[id] = fresh
      return (fresh, true)
    }
    if isNew { store.listen() }
    return store
  }

  /// Others write the defaults without this store; the notification does not say which key. Foundation on Linux posts
  /// none, so there a view sees what others wrote when it is evaluated next.
  private func listen() {
    _ = NotificationCenter.default.addObserver(
      forName: UserDefaults.didChangeNotification, object: nil, queue: nil
    ) { [weak self] _ in
      guard let self else { return }
      sources.touch(keys.withLock { $0 }, in: home)
    }
  }

  func text(for key: String) -> String? {
    _ = keys.withLock { $0.insert(key) }
    sources.track(key, in: home)
    return defaults.object(forKey: key).map { Self.text(of: $0) }
  }

  func setText(_ text: String?, for key: String) {
    if let text { defaults.set(text, forKey: key) } else { defaults.removeObject(forKey: key) }
    sources.touch([key], in: home)
  }

  /// What others wrote natively.
  private static func text(of value: Any) -> String {
    switch value {
    case let text as String: text
    case let number as Bool: "\(number)"
    case let number as Int: "\(number)"
    case let number as Double: "\(number)"
    default: "\(value)"
    }
  }
}
