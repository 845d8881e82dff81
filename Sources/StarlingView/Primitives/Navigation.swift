public import StarlingBinding

/// Puts the name of a screen over it.
struct TitledView<Content: View>: PrimitiveView {
  let content: Content
  let title: String

  func compose(in node: Node) -> Composition {
    let title = Element(node, .title(title))
    return Composition(content) { [title] + $0.all }
  }
}

extension View {
  /// The name of the screen, which stands over it.
  public func navigationTitle(_ title: LocalizedStringKey) -> some View {
    TitledView(content: self, title: title.string)
  }

  /// The name of the screen, which stands over it.
  @_disfavoredOverload public func navigationTitle(_ title: some StringProtocol) -> some View {
    TitledView(content: self, title: String(title))
  }

  /// The name of the screen, which stands over it.
  public func navigationTitle(_ title: Text) -> some View { TitledView(content: self, title: title.content.string) }
}

extension View {
  /// Names the screen, which stands over it, by what is edited elsewhere.
  public func navigationTitle(_ title: Binding<String>) -> some View { navigationTitle(title.wrappedValue) }

  /// The name of the screen in older programs.
  public func navigationBarTitle(_ title: LocalizedStringKey) -> some View { navigationTitle(title) }
  /// The name of the screen in older programs.
  @_disfavoredOverload public func navigationBarTitle(_ title: some StringProtocol) -> some View {
    navigationTitle(title)
  }
  /// The name of the screen in older programs.
  public func navigationBarTitle(_ title: Text) -> some View { navigationTitle(title) }
  /// The name of the screen in older programs. How it is displayed has no effect.
  public func navigationBarTitle(_ title: LocalizedStringKey, displayMode: NavigationBarItem.TitleDisplayMode)
    -> some View
  { navigationTitle(title) }
  /// The name of the screen in older programs. How it is displayed has no effect.
  public func navigationBarTitle(_ title: Text, displayMode: NavigationBarItem.TitleDisplayMode) -> some View {
    navigationTitle(title)
  }

  /// Leaves out the button that goes back, or not.
  public func navigationBarBackButtonHidden(_ isHidden: Bool = true) -> some View {
    MarkedView(content: self) { $0.hidesBack = $0.hidesBack || isHidden }
  }

  /// Puts controls under the view: hosts here have no bar for them.
  public func navigationBarItems(leading: some View, trailing: some View) -> some View {
    Group {
      self
      leading
      trailing
    }
  }

  /// Puts a control under the view: hosts here have no bar for it.
  public func navigationBarItems(trailing: some View) -> some View {
    navigationBarItems(leading: EmptyView(), trailing: trailing)
  }

  /// Puts a control under the view: hosts here have no bar for it.
  public func navigationBarItems(leading: some View) -> some View {
    navigationBarItems(leading: leading, trailing: EmptyView())
  }
}

/// A bar of older programs.
public enum NavigationBarItem {
  /// How wide and how high Apple's titles are.
  public typealias TitleDisplayMode = StarlingView.TitleDisplayMode
}
