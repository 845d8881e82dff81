import Starling

/// One key in 64 begins with a hyphen, and would be read as options; one of these may ask for help.
enum KeyArguments {
  /// The same arguments, a key that 'keys authorize' is given moved behind the mark after which nothing is an option.
  static func sorted(_ arguments: [String]) -> [String] {
    guard arguments.starts(with: ["keys", "authorize"]), !arguments.contains("--"),
      let place = arguments.firstIndex(where: { $0.hasPrefix("-") && PublicKey($0) != nil })
    else { return arguments }
    var arguments = arguments
    let key = arguments.remove(at: place)
    return arguments + ["--", key]
  }
}
