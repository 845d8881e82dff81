public import StarlingBinding

// What stands beside a view's own content, and asks before something is done.
extension View {
  /// Puts controls under the view: hosts here have no bar for them.
  public func toolbar(@ViewBuilder content: () -> some View) -> some View {
    Group {
      self
      content()
    }
  }

  /// Asks before something is done.
  public func confirmationDialog(
    _ title: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> some View
  ) -> some View {
    alert(title, isPresented: isPresented, actions: actions)
  }

  /// Asks before something is done, and says what.
  public func confirmationDialog(
    _ title: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: @escaping () -> some View,
    @ViewBuilder message: @escaping () -> some View
  ) -> some View {
    alert(title, isPresented: isPresented, actions: actions, message: message)
  }

  /// Shows a view over this one while `isPresented` is true.
  public func fullScreenCover(
    isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> some View
  ) -> some View {
    sheet(isPresented: isPresented, onDismiss: onDismiss, content: content)
  }

  /// Shows a view over this one while `isPresented` is true.
  public func popover(
    isPresented: Binding<Bool>, @ViewBuilder content: @escaping () -> some View
  ) -> some View {
    sheet(isPresented: isPresented, content: content)
  }

  /// Sets the colours that the views of this one are drawn for.
  public func preferredColorScheme(_ scheme: ColorScheme?) -> some View {
    transformEnvironment(\.colorScheme) { if let scheme { $0 = scheme } }
  }

  /// A number, or a word, after the view.
  public func badge(_ count: Int) -> some View {
    HStack {
      self
      if count > 0 { Text("\(count)") }
    }
  }
}
