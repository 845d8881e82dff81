public import Foundation

// What programs say of how they look on Apple's screens. It is accepted, and changes nothing where lines are read or
// cells are drawn.

/// How large controls are on Apple's screens.
public enum ControlSize: CaseIterable, Hashable, Sendable {
  /// From the smallest to the largest.
  case mini, small, regular, large, extraLarge
}

/// How what is typed is capitalised by Apple's keyboards.
public struct TextInputAutocapitalization: Hashable, Sendable {
  private let name: String
  /// Nothing.
  public static let never = TextInputAutocapitalization(name: "never")
  /// The first letter of each word.
  public static let words = TextInputAutocapitalization(name: "words")
  /// The first letter of each sentence.
  public static let sentences = TextInputAutocapitalization(name: "sentences")
  /// Everything.
  public static let characters = TextInputAutocapitalization(name: "characters")
}

/// How wide and how high Apple's titles are.
public enum TitleDisplayMode: Hashable, Sendable {
  /// As Apple's systems choose, on one line with the buttons, or on a line of its own.
  case automatic, inline, large
}

/// What is written on the return key of Apple's keyboards.
public struct SubmitLabel: Hashable, Sendable {
  private let name: String
  /// “Done”.
  public static let done = SubmitLabel(name: "done")
  /// “Go”.
  public static let go = SubmitLabel(name: "go")
  /// “Next”.
  public static let next = SubmitLabel(name: "next")
  /// “Search”.
  public static let search = SubmitLabel(name: "search")
  /// “Return”.
  public static let `return` = SubmitLabel(name: "return")
}

extension View {
  /// Accepted and without effect: a control has one size here.
  public func controlSize(_ size: ControlSize) -> some View { accepted("controlSize") }
  /// Accepted and without effect: pictures are not drawn here.
  public func imageScale(_ scale: Image.Scale) -> some View { accepted("imageScale") }
  /// Accepted and without effect: pictures are not drawn here.
  public func aspectRatio(_ ratio: CGFloat? = nil, contentMode: ContentMode) -> some View { accepted("aspectRatio") }
  /// Accepted and without effect: pictures are not drawn here.
  public func scaledToFit() -> some View { accepted("scaledToFit") }
  /// Accepted and without effect: pictures are not drawn here.
  public func scaledToFill() -> some View { accepted("scaledToFill") }
  /// Accepted and without effect: what is typed is taken as it is.
  public func textInputAutocapitalization(_ autocapitalization: TextInputAutocapitalization?) -> some View {
    accepted("textInputAutocapitalization")
  }
  /// Accepted and without effect: what is typed is taken as it is.
  public func autocorrectionDisabled(_ isDisabled: Bool = true) -> some View { accepted("autocorrectionDisabled") }
  /// Accepted and without effect: what is typed is taken as it is.
  public func disableAutocorrection(_ isDisabled: Bool?) -> some View { accepted("disableAutocorrection") }
  /// Accepted and without effect: a terminal's keys have their own labels.
  public func submitLabel(_ label: SubmitLabel) -> some View { accepted("submitLabel") }
  /// Accepted and without effect: a title stands on its own line here.
  public func navigationBarTitleDisplayMode(_ mode: TitleDisplayMode) -> some View {
    accepted("navigationBarTitleDisplayMode")
  }
  /// Accepted and without effect: nothing points at a view without using it.
  public func help(_ text: LocalizedStringKey) -> some View { accepted("help") }
  /// Accepted and without effect: rows have no lines between them here.
  public func listRowSeparator(_ visibility: Visibility, edges: Edge.Set = .all) -> some View {
    accepted("listRowSeparator")
  }
  /// Accepted and without effect: a view is tapped wherever it is drawn.
  public func contentShape(_ shape: some Shape) -> some View { accepted("contentShape") }
  /// Accepted and without effect: a view is there, or not.
  public func transition(_ transition: AnyTransition) -> some View { accepted("transition") }
  /// Accepted and without effect: views lie over each other in their order.
  public func zIndex(_ value: Double) -> some View { accepted("zIndex") }
}

extension View {
  /// Accepted and without effect: pictures are not drawn here.
  public func aspectRatio(_ ratio: CGSize, contentMode: ContentMode) -> some View { accepted("aspectRatio") }
  /// Accepted and without effect: nothing points at a view without using it.
  @_disfavoredOverload public func help(_ text: some StringProtocol) -> some View { accepted("help") }
  /// Accepted and without effect: nothing points at a view without using it.
  public func help(_ text: Text) -> some View { accepted("help") }
  /// Accepted and without effect: a view is there, or not.
  public func transition(_ transition: some Transition) -> some View { accepted("transition") }
  /// Accepted and without effect: a text changes at once.
  public func contentTransition(_ transition: ContentTransition) -> some View { accepted("contentTransition") }
  /// Accepted and without effect: views do not move from one place to another.
  public func matchedGeometryEffect<ID: Hashable>(
    id: ID, in namespace: Namespace.ID, properties: MatchedGeometryProperties = .frame, anchor: UnitPoint = .center,
    isSource: Bool = true
  ) -> some View { accepted("matchedGeometryEffect") }
  /// Accepted and without effect: there is no keyboard on the screen.
  public func keyboardType(_ type: UIKeyboardType) -> some View { accepted("keyboardType") }
  /// Accepted and without effect: what is typed is taken as it is.
  public func textContentType(_ type: UITextContentType?) -> some View { accepted("textContentType") }
  /// Accepted and without effect: what is typed is taken as it is.
  public func autocapitalization(_ style: UITextAutocapitalizationType) -> some View { accepted("autocapitalization") }
  /// Accepted and without effect: rows have no background of their own here.
  public func listRowBackground(_ background: (some View)?) -> some View { accepted("listRowBackground") }
  /// Accepted and without effect: rows have no margins here.
  public func listRowInsets(_ insets: EdgeInsets?) -> some View { accepted("listRowInsets") }
  /// Accepted and without effect: rows have no margins here.
  public func listRowSpacing(_ spacing: CGFloat?) -> some View { accepted("listRowSpacing") }
  /// Accepted and without effect: rows have no lines between them here.
  public func listRowSeparatorTint(_ color: Color?, edges: Edge.Set = .all) -> some View {
    accepted("listRowSeparatorTint")
  }
  /// Accepted and without effect: sections have no lines between them here.
  public func listSectionSeparator(_ visibility: Visibility, edges: Edge.Set = .all) -> some View {
    accepted("listSectionSeparator")
  }
  /// Accepted and without effect: what a list is for is not spoken.
  public func headerProminence(_ prominence: Prominence) -> some View { accepted("headerProminence") }
  /// Accepted and without effect: a window shows what scrolls, and a mark beside it.
  public func scrollIndicators(_ visibility: ScrollIndicatorVisibility, axes: Axis.Set = [.vertical, .horizontal])
    -> some View
  { accepted("scrollIndicators") }
  /// Accepted and without effect: what scrolls has no background here.
  public func scrollContentBackground(_ visibility: Visibility) -> some View { accepted("scrollContentBackground") }
  /// Accepted and without effect: there is no keyboard on the screen.
  public func scrollDismissesKeyboard(_ mode: ScrollDismissesKeyboardMode) -> some View {
    accepted("scrollDismissesKeyboard")
  }
  /// Accepted and without effect: a window shows whole rows.
  public func scrollClipDisabled(_ isDisabled: Bool = true) -> some View { accepted("scrollClipDisabled") }
  /// Accepted and without effect: pictures are not drawn here.
  public func symbolRenderingMode(_ mode: SymbolRenderingMode?) -> some View { accepted("symbolRenderingMode") }
  /// Accepted and without effect: pictures are not drawn here.
  public func symbolVariant(_ variant: SymbolVariants) -> some View { accepted("symbolVariant") }
  /// Accepted and without effect: pictures are not drawn here.
  public func blur(radius: CGFloat, opaque: Bool = false) -> some View { accepted("blur") }
  /// Accepted and without effect: pictures are not drawn here.
  public func brightness(_ amount: Double) -> some View { accepted("brightness") }
  /// Accepted and without effect: pictures are not drawn here.
  public func saturation(_ amount: Double) -> some View { accepted("saturation") }
  /// Accepted and without effect: pictures are not drawn here.
  public func grayscale(_ amount: Double) -> some View { accepted("grayscale") }
  /// Accepted and without effect: views lie over each other as they are.
  public func mask(alignment: Alignment = .center, @ViewBuilder _ mask: () -> some View) -> some View {
    accepted("mask")
  }
  /// Accepted and without effect: a view is drawn as its parts are.
  public func compositingGroup() -> some View { accepted("compositingGroup") }
  /// Accepted and without effect: a view is drawn as its parts are.
  public func drawingGroup(opaque: Bool = false) -> some View { accepted("drawingGroup") }
  /// Accepted and without effect: a view is not turned in space.
  public func rotation3DEffect(
    _ angle: Angle, axis: (x: CGFloat, y: CGFloat, z: CGFloat), anchor: UnitPoint = .center, anchorZ: CGFloat = 0,
    perspective: CGFloat = 1
  ) -> some View { accepted("rotation3DEffect") }
  /// Accepted and without effect: lines stand one below the other.
  public func lineSpacing(_ spacing: CGFloat) -> some View { accepted("lineSpacing") }
  /// Accepted and without effect: a text is as large as its cells.
  public func minimumScaleFactor(_ factor: CGFloat) -> some View { accepted("minimumScaleFactor") }
  /// Accepted and without effect: a text is cut at its end.
  public func truncationMode(_ mode: Text.TruncationMode) -> some View { accepted("truncationMode") }
  /// Accepted and without effect: characters stand in cells.
  public func tracking(_ tracking: CGFloat) -> some View { accepted("tracking") }
  /// Accepted and without effect: characters stand in cells.
  public func kerning(_ kerning: CGFloat) -> some View { accepted("kerning") }
  /// Accepted and without effect: texts are selected as the terminal has it.
  public func textSelection(_ selectability: some TextSelectability) -> some View { accepted("textSelection") }
  /// Accepted and without effect: characters are as large as the terminal has them.
  public func dynamicTypeSize(_ size: DynamicTypeSize) -> some View { accepted("dynamicTypeSize") }
  /// Accepted and without effect: a sheet is as large as what it shows.
  public func presentationDetents(_ detents: Set<PresentationDetent>) -> some View { accepted("presentationDetents") }
  /// Accepted and without effect: a sheet is not dragged.
  public func presentationDragIndicator(_ visibility: Visibility) -> some View {
    accepted("presentationDragIndicator")
  }
  /// Accepted and without effect: a sheet is closed by its controls and Escape.
  public func interactiveDismissDisabled(_ isDisabled: Bool = true) -> some View {
    accepted("interactiveDismissDisabled")
  }
  /// Accepted and without effect: hosts here have no bars.
  public func toolbarBackground(_ style: some ShapeStyle, for bars: ToolbarPlacement...) -> some View {
    accepted("toolbarBackground")
  }
  /// Accepted and without effect: hosts here have no bars.
  public func toolbarBackground(_ visibility: Visibility, for bars: ToolbarPlacement...) -> some View {
    accepted("toolbarBackground")
  }
  /// Accepted and without effect: hosts here have no bars.
  public func toolbarColorScheme(_ scheme: ColorScheme?, for bars: ToolbarPlacement...) -> some View {
    accepted("toolbarColorScheme")
  }
  /// Accepted and without effect: hosts here have no bars.
  public func toolbar(_ visibility: Visibility, for bars: ToolbarPlacement...) -> some View { accepted("toolbar") }
  /// Accepted and without effect: hosts here have no bars.
  public func toolbarRole(_ role: ToolbarRole) -> some View { accepted("toolbarRole") }
  /// Accepted and without effect: hosts here have no bars.
  public func navigationBarHidden(_ isHidden: Bool) -> some View { accepted("navigationBarHidden") }
  /// Accepted and without effect: hosts here have no bars.
  public func statusBarHidden(_ isHidden: Bool = true) -> some View { accepted("statusBarHidden") }
  /// Accepted and without effect: columns share the width.
  public func navigationSplitViewColumnWidth(_ width: CGFloat) -> some View {
    accepted("navigationSplitViewColumnWidth")
  }
  /// Accepted and without effect: columns share the width.
  public func navigationSplitViewColumnWidth(min: CGFloat? = nil, ideal: CGFloat, max: CGFloat? = nil) -> some View {
    accepted("navigationSplitViewColumnWidth")
  }
  /// Accepted and without effect: all controls stand in the order of the program.
  public func menuOrder(_ order: MenuOrder) -> some View { accepted("menuOrder") }
  /// Accepted and without effect: nothing points at a view without using it.
  public func onHover(perform action: @escaping (Bool) -> Void) -> some View { accepted("onHover") }
  /// Accepted and without effect: nothing points at a view without using it.
  public func hoverEffect() -> some View { accepted("hoverEffect") }
  /// Accepted and without effect: what is tapped does not tremble.
  public func sensoryFeedback<Trigger: Equatable>(_ feedback: SensoryFeedback, trigger: Trigger) -> some View {
    accepted("sensoryFeedback")
  }
  /// Accepted and without effect: hosts here have no edge to keep away from.
  public func ignoresSafeArea(_ regions: SafeAreaRegions, edges: Edge.Set = .all) -> some View {
    accepted("ignoresSafeArea")
  }
  /// Accepted and without effect: hosts here have no edge to keep away from.
  public func edgesIgnoringSafeArea(_ edges: Edge.Set) -> some View { accepted("edgesIgnoringSafeArea") }
  /// Accepted and without effect: hosts here have no edge to keep away from.
  public func safeAreaPadding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View {
    accepted("safeAreaPadding")
  }
  /// Accepted and without effect: a control's shape is the host's.
  public func buttonBorderShape(_ shape: ButtonBorderShape) -> some View { accepted("buttonBorderShape") }
  /// Accepted and without effect: the label of a control is shown.
  public func labelsHidden() -> some View { accepted("labelsHidden") }
  /// Accepted and without effect: what has the focus is drawn so.
  public func focusEffectDisabled(_ isDisabled: Bool = true) -> some View { accepted("focusEffectDisabled") }
  /// Accepted and without effect: the focus moves in the order in which things are read.
  public func focusSection() -> some View { accepted("focusSection") }
  /// Accepted and without effect: a view redraws what it must.
  public func redacted(reason: RedactionReasons) -> some View { accepted("redacted") }
  /// Accepted and without effect: a view redraws what it must.
  public func unredacted() -> some View { accepted("unredacted") }
  /// Accepted and without effect: all taps are those of the view that is drawn.
  public func allowsHitTesting(_ isAllowed: Bool) -> some View { accepted("allowsHitTesting") }
  /// Accepted and without effect: symbols do not move here.
  public func symbolEffect<Effect: SymbolEffect>(_ effect: Effect) -> some View { accepted("symbolEffect") }
  /// Accepted and without effect: symbols do not move here.
  public func symbolEffect<Effect: SymbolEffect, Value: Equatable>(_ effect: Effect, value: Value) -> some View {
    accepted("symbolEffect")
  }
  /// Accepted and without effect: a program's settings are its own.
  public func containerBackground(_ style: some ShapeStyle, for container: ContainerBackgroundPlacement) -> some View {
    accepted("containerBackground")
  }
}

/// How a picture fills a space of other proportions.
public enum ContentMode: CaseIterable, Hashable, Sendable {
  /// Whole in the space, or over all of it.
  case fit, fill
}

/// Whether something is shown.
public enum Visibility: CaseIterable, Hashable, Sendable {
  /// As the system chooses, always, or never.
  case automatic, visible, hidden
}

/// Views for a preview in an editor; nothing here shows them.
@MainActor @preconcurrency public protocol PreviewProvider {
  /// The type of the views.
  associatedtype Previews: View
  /// The views that an editor shows.
  @ViewBuilder static var previews: Previews { get }
}
