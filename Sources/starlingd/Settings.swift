import Configuration
import Foundation
import StarlingReplica

/// What the daemon is told: on the command line, else in the environment, else in a file, else nothing.
///
/// A setting has one name: `max-documents` is `--max-documents` on the command line, `STARLING_MAX_DOCUMENTS` in the
/// environment, and `"max-documents"` in the file.
struct Settings {
  /// What a setting holds.
  enum Kind {
    case text
    /// Texts; separated by commas in the environment.
    case texts
    case number
    case flag
  }

  /// All that may stand in the environment and in the file.
  static let kinds: [String: Kind] = [
    "group": .text, "directory": .text, "sockets": .text, "socket-group": .text, "no-sockets": .flag, "listen": .texts,
    "connect": .texts,
    "advertise": .texts, "cluster": .texts, "cluster-creds": .text, "cluster-nkey": .text, "cluster-tls-ca": .text,
    "cluster-tls-cert": .text, "cluster-tls-key": .text, "keys": .text, "shard": .text, "tier": .text,
    "no-gossip": .flag,
    "log": .text, "log-name": .text, "log-replicas": .number, "log-megabytes": .number, "standby": .flag,
    "history": .text, "metrics": .text,
    "metrics-beyond-loopback": .flag, "console": .text, "audit": .text, "max-documents": .number,
    "max-open-documents": .number,
    "max-documents-per-key": .number, "max-replica-ids-per-key": .number, "max-megabytes-per-key": .number,
    "on-log-failure": .text, "log-level": .text, "log-format": .text,
  ]

  /// The file, where there is one.
  let file: String?
  private let reader: ConfigReader
  private let environment: [String: String]

  /// - Parameters:
  ///   - file: named on the command line; else the environment may name one.
  /// - Throws: `SettingsError`, naming the file or the variable, and what is wrong.
  init(file: String?, environment: [String: String] = ProcessInfo.processInfo.environment) throws(SettingsError) {
    let file = file ?? environment["STARLING_CONFIG"]
    let values = try file.map(Self.values(in:)) ?? [:]
    self.file = file
    self.environment = environment
    reader = ConfigReader(providers: [
      EnvironmentVariablesProvider(environmentVariables: environment), InMemoryProvider(values: values),
    ])
    for (name, kind) in Self.kinds {
      guard let text = environment[Self.variable(name)] else { continue }
      switch kind {
      case .text, .texts: continue
      case .number where Int(text) != nil: continue
      case .flag where reader.bool(forKey: Self.key(name)) != nil: continue
      case .number: throw SettingsError("\(Self.variable(name)) is '\(text)'. Give it a whole number.")
      case .flag: throw SettingsError("\(Self.variable(name)) is '\(text)'. Give it true or false.")
      }
    }
  }

  /// The same settings, with what the file says now.
  ///
  /// - Throws: `SettingsError`; also where the file is no regular one: a pipe has told all that it tells, and opening it
  ///   waits for another writer.
  func readAgain() throws(SettingsError) -> Settings {
    if let file, let kind = Self.kind(of: file), kind != S_IFREG {
      throw SettingsError("The configuration file '\(file)' is no regular file, so it is read at the start alone.")
    }
    return try Settings(file: file, environment: environment)
  }

  func text(_ name: String) -> String? { reader.string(forKey: Self.key(name)) }

  func texts(_ name: String) -> [String]? { reader.stringArray(forKey: Self.key(name)) }

  func number(_ name: String) -> Int? { reader.int(forKey: Self.key(name)) }

  func flag(_ name: String) -> Bool { reader.bool(forKey: Self.key(name)) ?? false }

  private static func key(_ name: String) -> ConfigKey {
    ConfigKey(["starling"] + name.split(separator: "-").map(String.init))
  }

  private static func variable(_ name: String) -> String {
    "STARLING_" + name.uppercased().replacing("-", with: "_")
  }

  // MARK: The file

  /// Whether it is a regular file, a pipe or something else (`S_IFMT`); nil where there is none.
  private static func kind(of file: String) -> mode_t? {
    var status = stat()
    return stat(file, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  private static func values(in file: String) throws(SettingsError) -> [AbsoluteConfigKey: ConfigValue] {
    guard kind(of: file) != S_IFDIR else {
      throw SettingsError("The configuration file '\(file)' is a directory. Name a file.")
    }
    let text: Data
    do {
      // A pipe too, as a shell's <( ) is.
      text = try FileHandle(forReadingFrom: URL(fileURLWithPath: file)).readToEnd() ?? Data()
    } catch {
      throw SettingsError("The configuration file '\(file)' cannot be read: \(error.localizedDescription)")
    }
    let members: [JSONValue.Member]
    do {
      guard case .object(let found) = try JSONValue(parsing: text) else {
        throw SettingsError("The configuration file '\(file)' holds no JSON object, as {\"group\": \"library\"}.")
      }
      members = found
    } catch let error as SettingsError {
      throw error
    } catch {
      throw SettingsError("The configuration file '\(file)' is no JSON. \(error)")
    }
    var values: [AbsoluteConfigKey: ConfigValue] = [:]
    for member in members {
      guard let kind = kinds[member.name] else {
        throw SettingsError(
          "The configuration file '\(file)' sets '\(member.name)', which is no setting. There are: "
            + kinds.keys.sorted().joined(separator: ", ") + ".")
      }
      guard let content = content(of: member.value, as: kind) else {
        throw SettingsError(
          "The configuration file '\(file)' sets '\(member.name)' to \(member.value). Give it \(kind.words).")
      }
      values[AbsoluteConfigKey(["starling"] + member.name.split(separator: "-").map(String.init))] =
        ConfigValue(content, isSecret: false)
    }
    return values
  }

  private static func content(of value: JSONValue, as kind: Kind) -> ConfigContent? {
    switch (kind, value) {
    case (.text, .string(let text)): return .string(text)
    case (.texts, .string(let text)): return .stringArray([text])
    case (.number, .integer(let number)): return Int(exactly: number).map { .int($0) }
    case (.flag, .bool(let flag)): return .bool(flag)
    case (.texts, .array(let elements)):
      var texts: [String] = []
      for element in elements {
        guard case .string(let text) = element else { return nil }
        texts.append(text)
      }
      return .stringArray(texts)
    default: return nil
    }
  }
}

extension Settings.Kind {
  fileprivate var words: String {
    switch self {
    case .text: "a text, as \"library\""
    case .texts: "a list of texts, as [\"tcp://127.0.0.1:7400\"]"
    case .number: "a whole number"
    case .flag: "true or false"
    }
  }
}

/// What is wrong with the settings, in words for the person who wrote them.
struct SettingsError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
