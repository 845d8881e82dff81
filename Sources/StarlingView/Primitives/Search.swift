public import StarlingBinding
import StarlingGraph
import StarlingModel

/// A field over a view, in which one searches.
struct SearchView<Content: View>: View {
  let content: Content
  let text: Binding<String>
  let isPresented: Binding<Bool>?
  let prompt: String
  @FocusState private var isFocused: Bool

  init(content: Content, text: Binding<String>, isPresented: Binding<Bool>?, prompt: String) {
    self.content = content
    self.text = text
    self.isPresented = isPresented
    self.prompt = prompt
  }

  var body: some View {
    SearchField(text: text, prompt: prompt)
      .focused($isFocused)
      .onChange(of: isFocused) { if isFocused { isPresented?.wrappedValue = true } }
    content
      .environment(\.isSearching, isFocused || isPresented?.wrappedValue ?? false || !text.wrappedValue.isEmpty)
      .environment(
        \.dismissSearch,
        DismissSearchAction {
          text.wrappedValue = ""
          isFocused = false
          isPresented?.wrappedValue = false
        })
  }
}

/// The field itself, which is found as such.
private struct SearchField: PrimitiveView {
  let text: Binding<String>
  let prompt: String

  func compose(in node: Node) -> Composition {
    var element = Element(
      node, .field(text: text.wrappedValue, prompt: nil, isSecret: false, isMultiline: false))
    let text = text
    element.accessibilityLabel = prompt
    element.actions.isFocusable = true
    element.actions.isSearch = true
    element.actions.type = { text.wrappedValue = $0 }
    let submissions = EnvironmentValues(in: node.environment).searchSubmissions
    element.actions.submit = { for submission in submissions { submission.action() } }
    return Composition(Text(verbatim: prompt)) { drawn in
      var element = element
      element.children = drawn.all
      return [element]
    }
  }
}

/// Ends searching.
@MainActor public struct DismissSearchAction {
  let perform: (@MainActor () -> Void)?

  nonisolated init(_ perform: (@MainActor () -> Void)?) {
    self.perform = perform
  }

  /// Clears the field and leaves it; does nothing where there is none.
  public func callAsFunction() { perform?() }
}

/// Where a search field stands on Apple's screens. Here it stands over the view.
public struct SearchFieldPlacement: Hashable, Sendable {
  private let name: String
  /// As the system chooses.
  nonisolated public static let automatic = SearchFieldPlacement(name: "automatic")
  /// In the bar.
  nonisolated public static let toolbar = SearchFieldPlacement(name: "toolbar")
  /// In the first column.
  nonisolated public static let sidebar = SearchFieldPlacement(name: "sidebar")
  /// Under the bar.
  nonisolated public static let navigationBarDrawer = SearchFieldPlacement(name: "navigationBarDrawer")

  /// Whether a field under the bar stays while one scrolls.
  public enum NavigationBarDrawerDisplayMode: Hashable, Sendable {
    /// As the system chooses, or always.
    case automatic, always
  }

  /// Under the bar.
  nonisolated public static func navigationBarDrawer(displayMode: NavigationBarDrawerDisplayMode)
    -> SearchFieldPlacement
  { .navigationBarDrawer }
}

extension EnvironmentValues {
  private static let isSearchingKey = EntryKey(false)
  private static let dismissSearchKey = EntryKey(DismissSearchAction(nil))
  private static let searchSubmissionsKey = EntryKey<[Submission]>([])

  /// Whether a person searches: they are in the field, or something stands in it.
  public internal(set) var isSearching: Bool {
    get { self[Self.isSearchingKey] }
    set { self[Self.isSearchingKey] = newValue }
  }

  /// Ends searching.
  public internal(set) var dismissSearch: DismissSearchAction {
    get { self[Self.dismissSearchKey] }
    set { self[Self.dismissSearchKey] = newValue }
  }

  var searchSubmissions: [Submission] {
    get { self[Self.searchSubmissionsKey] }
    set { self[Self.searchSubmissionsKey] = newValue }
  }
}

extension View {
  /// Puts a field over the view in which one searches; a terminal goes there with `/`. Where it is placed has no effect.
  public func searchable(
    text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: Text? = nil
  ) -> some View {
    SearchView(content: self, text: text, isPresented: nil, prompt: prompt?.content.string ?? "Search")
  }

  /// Puts a field over the view in which one searches.
  public func searchable(
    text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: LocalizedStringKey
  ) -> some View {
    SearchView(content: self, text: text, isPresented: nil, prompt: prompt.string)
  }

  /// Puts a field over the view in which one searches.
  @_disfavoredOverload public func searchable(
    text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: some StringProtocol
  ) -> some View {
    SearchView(content: self, text: text, isPresented: nil, prompt: String(prompt))
  }

  /// Puts a field over the view in which one searches; `isPresented` says whether one does.
  public func searchable(
    text: Binding<String>, isPresented: Binding<Bool>, placement: SearchFieldPlacement = .automatic,
    prompt: Text? = nil
  ) -> some View {
    SearchView(content: self, text: text, isPresented: isPresented, prompt: prompt?.content.string ?? "Search")
  }

  /// Puts a field over the view in which one searches, with suggestions under it while one does.
  public func searchable(
    text: Binding<String>, placement: SearchFieldPlacement = .automatic, prompt: Text? = nil,
    @ViewBuilder suggestions: () -> some View
  ) -> some View {
    SearchView(
      content: SuggestedView(content: self, suggestions: suggestions(), text: text), text: text, isPresented: nil,
      prompt: prompt?.content.string ?? "Search")
  }

  /// Views that stand over this one while a person searches.
  public func searchSuggestions(@ViewBuilder _ suggestions: () -> some View) -> some View {
    SuggestedView(content: self, suggestions: suggestions(), text: nil)
  }

  /// What choosing a suggestion writes into the field.
  public func searchCompletion(_ completion: String) -> some View {
    CompletionView(content: self, completion: completion)
  }

  /// Chooses among several scopes of a search, over the view.
  public func searchScopes<Value: Hashable>(
    _ scope: Binding<Value>, @ViewBuilder scopes: () -> some View
  ) -> some View {
    Group {
      Picker("Scope", selection: scope, content: scopes)
      self
    }
  }
}

/// Suggestions over a view.
private struct SuggestedView<Content: View, Suggestions: View>: View {
  let content: Content
  let suggestions: Suggestions
  let text: Binding<String>?
  @Environment(\.isSearching) private var isSearching

  init(content: Content, suggestions: Suggestions, text: Binding<String>?) {
    self.content = content
    self.suggestions = suggestions
    self.text = text
  }

  var body: some View {
    if isSearching { suggestions.environment(\.completedSearch, text) }
    content
  }
}

/// A suggestion that is tapped.
private struct CompletionView<Content: View>: View {
  let content: Content
  let completion: String
  @Environment(\.completedSearch) private var text

  init(content: Content, completion: String) {
    self.content = content
    self.completion = completion
  }

  var body: some View {
    Button {
      text?.wrappedValue = completion
    } label: {
      content
    }
    .buttonStyle(.plain)
  }
}

extension EnvironmentValues {
  private static let completedSearchKey = EntryKey<Binding<String>?>(nil)

  /// What suggestions complete.
  var completedSearch: Binding<String>? {
    get { self[Self.completedSearchKey] }
    set { self[Self.completedSearchKey] = newValue }
  }
}
