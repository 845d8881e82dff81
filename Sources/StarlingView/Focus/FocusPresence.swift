public import StarlingModel

/// Says to the other processes where the focus of a form is.
struct FocusPresenceView<Content: View, Value: Hashable, Said: Equatable>: PrimitiveView {
  let content: Content
  let focus: FocusState<Value>.Binding
  let presence: Presence
  let key: PresenceKey<Said>
  /// What is said of a value of the focus; nil: nothing.
  let said: (Value) -> Said?

  func compose(in node: Node) -> Composition {
    let place = node.memory { SpeakingPlace<Said>() }
    if place.voice == nil { node.onRemoval { place.voice?.say(nil) } }
    let voice = place.voice(in: presence, as: key)
    let said = said(focus.wrappedValue)
    // What presence wakes must not be woken by a body.
    node.tree.afterPass { [weak node] in if node?.isAlive == true { voice.say(said) } }
    return Composition(content)
  }
}

@MainActor private final class SpeakingPlace<Said: Equatable> {
  private(set) var voice: PresenceVoice<Said>?

  /// Another voice where the view was handed another presence or key; the former one falls silent.
  func voice(in presence: Presence, as key: PresenceKey<Said>) -> PresenceVoice<Said> {
    if let voice, voice.presence === presence, voice.key == key { return voice }
    let voice = PresenceVoice(presence, key)
    self.voice = voice
    return voice
  }
}

/// One of the places of this process that speak under a key: a form, a window.
///
///     "field" ── [form A: name] [form B: dish] ── what B says is heard; when B falls silent, what A says
///
/// Silent at the latest when it goes.
@MainActor private final class PresenceVoice<Said: Equatable> {
  let presence: Presence
  let key: PresenceKey<Said>
  private var said: Said?

  init(_ presence: Presence, _ key: PresenceKey<Said>) {
    self.presence = presence
    self.key = key
  }

  isolated deinit {
    say(nil)
  }

  /// Says `content`, and is then the one who is heard; nil says no more. The same again changes nothing.
  func say(_ content: Said?) {
    guard content != said else { return }
    said = content
    let (presence, key) = (presence, key)
    let speech = content.map { content in Choir.Speech(voice: ObjectIdentifier(self)) { presence[key] = content } }
    let subject = Choir.Subject(presence: ObjectIdentifier(presence), key: key.name)
    if !Choir.replace(ObjectIdentifier(self), by: speech, on: subject) { presence[key] = nil }
  }
}

/// The views that publish presence in this process, the last to begin last.
@MainActor private enum Choir {
  /// Presences are alive while anybody speaks there: the voice holds its own.
  struct Subject: Hashable {
    let presence: ObjectIdentifier
    let key: String
  }

  struct Speech {
    let voice: ObjectIdentifier
    let speak: () -> Void
  }

  private static var speeches: [Subject: [Speech]] = [:]

  /// - Returns: Whether anybody is left to be heard.
  static func replace(_ voice: ObjectIdentifier, by speech: Speech?, on subject: Subject) -> Bool {
    var others = (speeches[subject] ?? []).filter { $0.voice != voice }
    if let speech { others.append(speech) }
    speeches[subject] = others.isEmpty ? nil : others
    others.last?.speak()
    return !others.isEmpty
  }
}

extension View {
  /// Publishes which field of the form has the focus, for as long as the view is shown, to everyone who has the
  /// document open.
  ///
  /// ```swift
  /// extension PresenceKey<Field> {
  ///   static let field = PresenceKey("field")
  /// }
  ///
  /// Form {
  ///   TextField("Name", text: $guest.name).focused($field, equals: .name)
  ///   if !replica.presence.others(.field, at: .name).isEmpty { Text("Somebody else is writing here.") }
  /// }
  /// .presence($field, in: replica.presence, as: .field)
  /// ```
  ///
  /// Nothing is said while no field has the focus, and no more once the view has gone. Where several views publish
  /// under one key, the one that got the focus last is heard.
  public func presence<Field: Hashable>(
    _ focus: FocusState<Field?>.Binding, in presence: Presence, as key: PresenceKey<Field>
  ) -> some View {
    FocusPresenceView(content: self, focus: focus, presence: presence, key: key) { $0 }
  }

  /// Publishes `content` while the focus is in the view: the row, the chapter that somebody is at.
  public func presence<Content: Equatable>(
    _ focus: FocusState<Bool>.Binding, saying content: Content, in presence: Presence, as key: PresenceKey<Content>
  ) -> some View {
    FocusPresenceView(content: self, focus: focus, presence: presence, key: key) { $0 ? content : nil }
  }
}
