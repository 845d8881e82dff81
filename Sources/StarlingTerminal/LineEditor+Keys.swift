extension LineEditor {
  /// Does what a key does in a field of one line, as in shells:
  ///
  /// ```
  ///   ← → Home End           Ctrl+B Ctrl+F Ctrl+A Ctrl+E
  ///   Ctrl or Alt with ← →   Alt+B Alt+F            by words
  ///   Backspace Delete       Ctrl+H Ctrl+D
  ///   Ctrl+W Alt+Backspace   Alt+D Ctrl+Delete      deletes a word
  ///   Ctrl+U Ctrl+K                                 deletes all before or behind the cursor
  /// ```
  ///
  /// - Returns: Whether the key means something here.
  package mutating func press(_ key: Key) -> Bool {
    let byWord = !key.modifiers.isDisjoint(with: [.control, .alt])
    switch key.code {
    case .left: byWord ? moveWordLeft() : moveLeft()
    case .right: byWord ? moveWordRight() : moveRight()
    case .home: moveToStart()
    case .end: moveToEnd()
    case .backspace: byWord ? deleteWordBackward() : deleteBackward()
    case .delete: byWord ? deleteWordForward() : deleteForward()
    case .character(let character): return press(character, key.modifiers.subtracting(.shift))
    default: return false
    }
    return true
  }

  private mutating func press(_ character: Character, _ modifiers: KeyModifiers) -> Bool {
    switch (character, modifiers) {
    case (_, []): insert(String(character))
    case ("a", .control): moveToStart()
    case ("e", .control): moveToEnd()
    case ("b", .control): moveLeft()
    case ("f", .control): moveRight()
    case ("h", .control): deleteBackward()
    case ("d", .control): deleteForward()
    case ("w", .control): deleteWordBackward()
    case ("u", .control): deleteToStart()
    case ("k", .control): deleteToEnd()
    case ("b", .alt): moveWordLeft()
    case ("f", .alt): moveWordRight()
    case ("d", .alt): deleteWordForward()
    default: return false
    }
    return true
  }
}
