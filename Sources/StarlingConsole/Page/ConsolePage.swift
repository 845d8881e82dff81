/// The page, as a browser is handed it: written by hand, held in the program, and complete without a network.
///
/// ```
///   Document   the page            Base      what the page knows, and how it hears      Tree      documents, conflicts
///   Style      how it looks        Group     members, what needs attention              History   steps, differences
///                                  Figures   charts, keys, the beginning
/// ```
enum ConsolePage {
  static let style = generalStyle + "\n" + viewStyle
  static let script = [base, group, tree, history, figures].joined(separator: "\n")

  static let icon = #"""
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#31598f"/><path d="M6 20c5 1 8-1 10-4 1.500-3 4-5 7-5l3-1-2 3c0 6-4 10-10 10-3 0-6-1-8-3z" fill="#fff"/><circle cx="22.300" cy="12.800" r="1" fill="#31598f"/></svg>
    """#

  /// What a browser sees that is not let in.
  static func refusal(_ title: String, _ text: String) -> String {
    """
    <!doctype html>
    <html lang="en">
    <head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark"><title>\(title)</title>
    <link rel="icon" href="/icon.svg"><link rel="stylesheet" href="/console.css"></head>
    <body><main class="card refusal"><img src="/icon.svg" alt="" width="48" height="48">
    <h1>\(title)</h1><p>\(text)</p></main></body>
    </html>
    """
  }
}
