public import Foundation
public import StarlingBinding

// What stands beside a view's own content, and asks before something is done.
extension View {
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

  /// Shows a view over this one while `isPresented` is true. Where it points has no effect.
  public func popover(
    isPresented: Binding<Bool>, attachmentAnchor: PopoverAttachmentAnchor = .rect(.bounds), arrowEdge: Edge,
    @ViewBuilder content: @escaping () -> some View
  ) -> some View {
    sheet(isPresented: isPresented, content: content)
  }

  /// Shows a view over this one while `item` is not nil.
  public func popover<Item: Identifiable>(
    item: Binding<Item?>, @ViewBuilder content: @escaping (Item) -> some View
  ) -> some View {
    sheet(item: item, content: content)
  }

  /// Shows a view over this one while `item` is not nil.
  public func fullScreenCover<Item: Identifiable>(
    item: Binding<Item?>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping (Item) -> some View
  ) -> some View {
    sheet(item: item, onDismiss: onDismiss, content: content)
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

  /// A word after the view; nil for none.
  public func badge(_ label: Text?) -> some View {
    HStack {
      self
      if let label { label }
    }
  }

  /// A word after the view.
  public func badge(_ label: LocalizedStringKey) -> some View { badge(Text(label)) }

  /// Puts views at a side of this one: under it at the bottom, else over it.
  public func safeAreaInset(
    edge: VerticalEdge, alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil,
    @ViewBuilder content: () -> some View
  ) -> some View {
    Group {
      if edge == .top { content() }
      self
      if edge == .bottom { content() }
    }
  }
}

/// Above or below.
public enum VerticalEdge: Int8, CaseIterable, Hashable, Sendable {
  /// Above.
  case top
  /// Below.
  case bottom
}

/// Leading or trailing.
public enum HorizontalEdge: Int8, CaseIterable, Hashable, Sendable {
  /// Where lines begin.
  case leading
  /// Where lines end.
  case trailing
}

/// To what a popover points on Apple's screens.
public enum PopoverAttachmentAnchor: Hashable, Sendable {
  /// A rectangle of the view.
  case rect(Source)
  /// A point of the view.
  case point(UnitPoint)

  /// A rectangle of a view.
  public enum Source: Hashable, Sendable {
    /// The whole view.
    case bounds
  }
}
