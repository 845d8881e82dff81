#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What a terminal can show, as far as its environment tells.
///
/// ```
///   TERM        unset, empty, dumb            no control sequences: lines of plain text
///               …-m, …-mono, vt1…, vt2…       no colours
///               …256color…                    256 colours
///               …-direct, kitty and its like  all colours
///               anything else                 16 colours
///   COLORTERM   truecolor, 24bit              all colours
///   NO_COLOR    anything but empty            no colours, whatever else is said (no-color.org)
///   LC_ALL, or else LC_CTYPE, or else LANG    ASCII alone, unless it ends in a UTF-8 charset
/// ```
package struct TerminalTraits: Hashable, Sendable {
  package enum Colors: Int, Comparable, Sendable {
    case none, sixteen, palette, all

    package static func < (left: Colors, right: Colors) -> Bool { left.rawValue < right.rawValue }
  }

  package var colors: Colors
  /// Whether it shows more than ASCII.
  package var isUnicode: Bool
  /// Whether it knows no control sequences.
  package var isDumb: Bool

  package init(colors: Colors = .all, isUnicode: Bool = true, isDumb: Bool = false) {
    self.colors = colors
    self.isUnicode = isUnicode
    self.isDumb = isDumb
  }

  /// - Parameter variable: An environment variable's value by its name.
  package init(environment variable: (String) -> String?) {
    let terminal = (variable("TERM") ?? "").lowercased()
    isDumb = terminal.isEmpty || terminal == "dumb"
    colors = Self.colors(of: terminal, colorTerm: (variable("COLORTERM") ?? "").lowercased())
    if isDumb || variable("NO_COLOR")?.isEmpty == false { colors = .none }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first { !$0.isEmpty } ?? "C"
    let charset = locale.lowercased().filter { $0 != "-" }
    isUnicode = charset.contains("utf8")
  }

  /// Those of the terminal that this process was started in.
  package static var ofThisProcess: TerminalTraits {
    TerminalTraits { name in getenv(name).map { String(cString: $0) } }
  }

  private static let colourful = ["kitty", "ghostty", "alacritty", "foot", "wezterm"]

  private static func colors(of terminal: String, colorTerm: String) -> Colors {
    if ["truecolor", "24bit"].contains(colorTerm) || terminal.hasSuffix("-direct") { return .all }
    if colourful.contains(where: { terminal.contains($0) }) { return .all }
    if terminal.contains("256color") { return .palette }
    if terminal.hasSuffix("-m") || terminal.hasSuffix("-mono") { return .none }
    return terminal.hasPrefix("vt1") || terminal.hasPrefix("vt2") ? .none : .sixteen
  }
}
