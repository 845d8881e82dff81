// How controls look on Apple's screens: accepted, and drawn alike here. The values exist so that programs that name them
// compile; each use is reported once in debug builds.

/// How a text field looks on Apple's screens; all look alike here.
public protocol TextFieldStyle {}

/// As Apple's systems choose.
public struct DefaultTextFieldStyle: TextFieldStyle {
  /// As Apple's systems choose.
  nonisolated public init() {}
}

/// Without decoration.
public struct PlainTextFieldStyle: TextFieldStyle {
  /// Without decoration.
  nonisolated public init() {}
}

/// With a rounded border.
public struct RoundedBorderTextFieldStyle: TextFieldStyle {
  /// With a rounded border.
  nonisolated public init() {}
}

/// With a border.
public struct SquareBorderTextFieldStyle: TextFieldStyle {
  /// With a border.
  nonisolated public init() {}
}

extension TextFieldStyle where Self == DefaultTextFieldStyle {
  /// As Apple's systems choose.
  nonisolated public static var automatic: DefaultTextFieldStyle { DefaultTextFieldStyle() }
}

extension TextFieldStyle where Self == PlainTextFieldStyle {
  /// Without decoration.
  nonisolated public static var plain: PlainTextFieldStyle { PlainTextFieldStyle() }
}

extension TextFieldStyle where Self == RoundedBorderTextFieldStyle {
  /// With a rounded border.
  nonisolated public static var roundedBorder: RoundedBorderTextFieldStyle { RoundedBorderTextFieldStyle() }
}

extension TextFieldStyle where Self == SquareBorderTextFieldStyle {
  /// With a border.
  nonisolated public static var squareBorder: SquareBorderTextFieldStyle { SquareBorderTextFieldStyle() }
}

/// How a picker looks on Apple's screens; all look alike here.
public protocol PickerStyle {}

/// As Apple's systems choose.
public struct DefaultPickerStyle: PickerStyle {
  /// As Apple's systems choose.
  nonisolated public init() {}
}

/// All options in the list that the picker stands in.
public struct InlinePickerStyle: PickerStyle {
  /// All options in the list that the picker stands in.
  nonisolated public init() {}
}

/// A menu of the options.
public struct MenuPickerStyle: PickerStyle {
  /// A menu of the options.
  nonisolated public init() {}
}

/// The options side by side.
public struct SegmentedPickerStyle: PickerStyle {
  /// The options side by side.
  nonisolated public init() {}
}

/// A wheel of the options.
public struct WheelPickerStyle: PickerStyle {
  /// A wheel of the options.
  nonisolated public init() {}
}

/// A screen of the options.
public struct NavigationLinkPickerStyle: PickerStyle {
  /// A screen of the options.
  nonisolated public init() {}
}

/// A row of the options.
public struct PalettePickerStyle: PickerStyle {
  /// A row of the options.
  nonisolated public init() {}
}

extension PickerStyle where Self == DefaultPickerStyle {
  /// As Apple's systems choose.
  nonisolated public static var automatic: DefaultPickerStyle { DefaultPickerStyle() }
}

extension PickerStyle where Self == InlinePickerStyle {
  /// All options in the list that the picker stands in.
  nonisolated public static var inline: InlinePickerStyle { InlinePickerStyle() }
}

extension PickerStyle where Self == MenuPickerStyle {
  /// A menu of the options.
  nonisolated public static var menu: MenuPickerStyle { MenuPickerStyle() }
}

extension PickerStyle where Self == SegmentedPickerStyle {
  /// The options side by side.
  nonisolated public static var segmented: SegmentedPickerStyle { SegmentedPickerStyle() }
}

extension PickerStyle where Self == WheelPickerStyle {
  /// A wheel of the options.
  nonisolated public static var wheel: WheelPickerStyle { WheelPickerStyle() }
}

extension PickerStyle where Self == NavigationLinkPickerStyle {
  /// A screen of the options.
  nonisolated public static var navigationLink: NavigationLinkPickerStyle { NavigationLinkPickerStyle() }
}

extension PickerStyle where Self == PalettePickerStyle {
  /// A row of the options.
  nonisolated public static var palette: PalettePickerStyle { PalettePickerStyle() }
}

/// How a list looks on Apple's screens; all look alike here.
public protocol ListStyle {}

/// As Apple's systems choose.
public struct DefaultListStyle: ListStyle {
  /// As Apple's systems choose.
  nonisolated public init() {}
}

/// Without decoration.
public struct PlainListStyle: ListStyle {
  /// Without decoration.
  nonisolated public init() {}
}

/// Sections as groups.
public struct GroupedListStyle: ListStyle {
  /// Sections as groups.
  nonisolated public init() {}
}

/// With a margin.
public struct InsetListStyle: ListStyle {
  /// With a margin.
  nonisolated public init() {}
}

/// Sections as groups with a margin.
public struct InsetGroupedListStyle: ListStyle {
  /// Sections as groups with a margin.
  nonisolated public init() {}
}

/// As a list beside a window's content.
public struct SidebarListStyle: ListStyle {
  /// As a list beside a window's content.
  nonisolated public init() {}
}

/// With a border.
public struct BorderedListStyle: ListStyle {
  /// With a border.
  nonisolated public init() {}
}

extension ListStyle where Self == DefaultListStyle {
  /// As Apple's systems choose.
  nonisolated public static var automatic: DefaultListStyle { DefaultListStyle() }
}

extension ListStyle where Self == PlainListStyle {
  /// Without decoration.
  nonisolated public static var plain: PlainListStyle { PlainListStyle() }
}

extension ListStyle where Self == GroupedListStyle {
  /// Sections as groups.
  nonisolated public static var grouped: GroupedListStyle { GroupedListStyle() }
}

extension ListStyle where Self == InsetListStyle {
  /// With a margin.
  nonisolated public static var inset: InsetListStyle { InsetListStyle() }
}

extension ListStyle where Self == InsetGroupedListStyle {
  /// Sections as groups with a margin.
  nonisolated public static var insetGrouped: InsetGroupedListStyle { InsetGroupedListStyle() }
}

extension ListStyle where Self == SidebarListStyle {
  /// As a list beside a window's content.
  nonisolated public static var sidebar: SidebarListStyle { SidebarListStyle() }
}

extension ListStyle where Self == BorderedListStyle {
  /// With a border.
  nonisolated public static var bordered: BorderedListStyle { BorderedListStyle() }
}

/// How a form looks on Apple's screens; all look alike here.
public protocol FormStyle {}

/// As Apple's systems choose.
public struct AutomaticFormStyle: FormStyle {
  /// As Apple's systems choose.
  nonisolated public init() {}
}

/// Sections as groups.
public struct GroupedFormStyle: FormStyle {
  /// Sections as groups.
  nonisolated public init() {}
}

/// Labels beside their controls.
public struct ColumnsFormStyle: FormStyle {
  /// Labels beside their controls.
  nonisolated public init() {}
}

extension FormStyle where Self == AutomaticFormStyle {
  /// As Apple's systems choose.
  nonisolated public static var automatic: AutomaticFormStyle { AutomaticFormStyle() }
}

extension FormStyle where Self == GroupedFormStyle {
  /// Sections as groups.
  nonisolated public static var grouped: GroupedFormStyle { GroupedFormStyle() }
}

extension FormStyle where Self == ColumnsFormStyle {
  /// Labels beside their controls.
  nonisolated public static var columns: ColumnsFormStyle { ColumnsFormStyle() }
}

extension View {
  /// Accepted and without effect: a text field looks the same in all styles here.
  public func textFieldStyle(_ style: some TextFieldStyle) -> some View { accepted("textFieldStyle") }
  /// Accepted and without effect: a picker looks the same in all styles here.
  public func pickerStyle(_ style: some PickerStyle) -> some View { accepted("pickerStyle") }
  /// Accepted and without effect: a list looks the same in all styles here.
  public func listStyle(_ style: some ListStyle) -> some View { accepted("listStyle") }
  /// Accepted and without effect: a form looks the same in all styles here.
  public func formStyle(_ style: some FormStyle) -> some View { accepted("formStyle") }
  /// Accepted and without effect: a menu looks the same in all styles here.
  public func menuStyle(_ style: some MenuStyle) -> some View { accepted("menuStyle") }
  /// Accepted and without effect: a date picker looks the same in all styles here.
  public func datePickerStyle(_ style: some DatePickerStyle) -> some View { accepted("datePickerStyle") }
  /// Accepted and without effect: a row of tabs looks the same in all styles here.
  public func tabViewStyle(_ style: some TabViewStyle) -> some View { accepted("tabViewStyle") }
  /// Accepted and without effect: an older stack looks the same in all styles here.
  public func navigationViewStyle(_ style: some NavigationViewStyle) -> some View { accepted("navigationViewStyle") }
  /// Accepted and without effect: a split view looks the same in all styles here.
  public func navigationSplitViewStyle(_ style: some NavigationSplitViewStyle) -> some View {
    accepted("navigationSplitViewStyle")
  }
  /// Accepted and without effect: a group box looks the same in all styles here.
  public func groupBoxStyle(_ style: some GroupBoxStyle) -> some View { accepted("groupBoxStyle") }
  /// Accepted and without effect: a text editor looks the same in all styles here.
  public func textEditorStyle(_ style: some TextEditorStyle) -> some View { accepted("textEditorStyle") }
  /// Accepted and without effect: a group of controls looks the same in all styles here.
  public func controlGroupStyle(_ style: some ControlGroupStyle) -> some View { accepted("controlGroupStyle") }
  /// Accepted and without effect: the dots of pages looks the same in all styles here.
  public func indexViewStyle(_ style: some IndexViewStyle) -> some View { accepted("indexViewStyle") }
}
