// The rest of the styles of `AcceptedStyles.swift`.

/// How a menu looks on Apple's screens; all look alike here.
public protocol MenuStyle {}

/// As Apple's systems choose.
public struct DefaultMenuStyle: MenuStyle {
  /// As Apple's systems choose.
  nonisolated public init() {}
}

/// A button.
public struct ButtonMenuStyle: MenuStyle {
  /// A button.
  nonisolated public init() {}
}

/// A button without a border.
public struct BorderlessButtonMenuStyle: MenuStyle {
  /// A button without a border.
  nonisolated public init() {}
}

extension MenuStyle where Self == DefaultMenuStyle {
  /// As Apple's systems choose.
  nonisolated public static var automatic: DefaultMenuStyle { DefaultMenuStyle() }
}

extension MenuStyle where Self == ButtonMenuStyle {
  /// A button.
  nonisolated public static var button: ButtonMenuStyle { ButtonMenuStyle() }
}

extension MenuStyle where Self == BorderlessButtonMenuStyle {
  /// A button without a border.
  nonisolated public static var borderlessButton: BorderlessButtonMenuStyle { BorderlessButtonMenuStyle() }
}

/// How a date picker looks on Apple's screens; all look alike here.
public protocol DatePickerStyle {}

/// As Apple's systems choose.
public struct DefaultDatePickerStyle: DatePickerStyle {
  /// As Apple's systems choose.
  nonisolated public init() {}
}

/// On one line.
public struct CompactDatePickerStyle: DatePickerStyle {
  /// On one line.
  nonisolated public init() {}
}

/// A calendar.
public struct GraphicalDatePickerStyle: DatePickerStyle {
  /// A calendar.
  nonisolated public init() {}
}

/// Wheels.
public struct WheelDatePickerStyle: DatePickerStyle {
  /// Wheels.
  nonisolated public init() {}
}

/// A field.
public struct FieldDatePickerStyle: DatePickerStyle {
  /// A field.
  nonisolated public init() {}
}

/// A field with a stepper.
public struct StepperFieldDatePickerStyle: DatePickerStyle {
  /// A field with a stepper.
  nonisolated public init() {}
}

extension DatePickerStyle where Self == DefaultDatePickerStyle {
  /// As Apple's systems choose.
  nonisolated public static var automatic: DefaultDatePickerStyle { DefaultDatePickerStyle() }
}

extension DatePickerStyle where Self == CompactDatePickerStyle {
  /// On one line.
  nonisolated public static var compact: CompactDatePickerStyle { CompactDatePickerStyle() }
}

extension DatePickerStyle where Self == GraphicalDatePickerStyle {
  /// A calendar.
  nonisolated public static var graphical: GraphicalDatePickerStyle { GraphicalDatePickerStyle() }
}

extension DatePickerStyle where Self == WheelDatePickerStyle {
  /// Wheels.
  nonisolated public static var wheel: WheelDatePickerStyle { WheelDatePickerStyle() }
}

extension DatePickerStyle where Self == FieldDatePickerStyle {
  /// A field.
  nonisolated public static var field: FieldDatePickerStyle { FieldDatePickerStyle() }
}

extension DatePickerStyle where Self == StepperFieldDatePickerStyle {
  /// A field with a stepper.
  nonisolated public static var stepperField: StepperFieldDatePickerStyle { StepperFieldDatePickerStyle() }
}

/// How a row of tabs looks on Apple's screens; all look alike here.
public protocol TabViewStyle {}

/// As Apple's systems choose.
public struct DefaultTabViewStyle: TabViewStyle {
  /// As Apple's systems choose.
  nonisolated public init() {}
}

/// Pages that are turned.
public struct PageTabViewStyle: TabViewStyle {
  /// Pages that are turned.
  nonisolated public init() {}
}

/// A sidebar where there is space.
public struct SidebarAdaptableTabViewStyle: TabViewStyle {
  /// A sidebar where there is space.
  nonisolated public init() {}
}

extension TabViewStyle where Self == DefaultTabViewStyle {
  /// As Apple's systems choose.
  nonisolated public static var automatic: DefaultTabViewStyle { DefaultTabViewStyle() }
}

extension TabViewStyle where Self == PageTabViewStyle {
  /// Pages that are turned.
  nonisolated public static var page: PageTabViewStyle { PageTabViewStyle() }
}

extension TabViewStyle where Self == SidebarAdaptableTabViewStyle {
  /// A sidebar where there is space.
  nonisolated public static var sidebarAdaptable: SidebarAdaptableTabViewStyle { SidebarAdaptableTabViewStyle() }
}

/// How an older stack looks on Apple's screens; all look alike here.
public protocol NavigationViewStyle {}

/// As Apple's systems choose.
public struct DefaultNavigationViewStyle: NavigationViewStyle {
  /// As Apple's systems choose.
  nonisolated public init() {}
}

/// One view at a time.
public struct StackNavigationViewStyle: NavigationViewStyle {
  /// One view at a time.
  nonisolated public init() {}
}

/// Columns side by side.
public struct ColumnNavigationViewStyle: NavigationViewStyle {
  /// Columns side by side.
  nonisolated public init() {}
}

extension NavigationViewStyle where Self == DefaultNavigationViewStyle {
  /// As Apple's systems choose.
  nonisolated public static var automatic: DefaultNavigationViewStyle { DefaultNavigationViewStyle() }
}

extension NavigationViewStyle where Self == StackNavigationViewStyle {
  /// One view at a time.
  nonisolated public static var stack: StackNavigationViewStyle { StackNavigationViewStyle() }
}

extension NavigationViewStyle where Self == ColumnNavigationViewStyle {
  /// Columns side by side.
  nonisolated public static var columns: ColumnNavigationViewStyle { ColumnNavigationViewStyle() }
}

/// How a split view looks on Apple's screens; all look alike here.
public protocol NavigationSplitViewStyle {}

/// As Apple's systems choose.
public struct AutomaticNavigationSplitViewStyle: NavigationSplitViewStyle {
  /// As Apple's systems choose.
  nonisolated public init() {}
}

/// All columns with a space of their own.
public struct BalancedNavigationSplitViewStyle: NavigationSplitViewStyle {
  /// All columns with a space of their own.
  nonisolated public init() {}
}

/// The last column with all the space.
public struct ProminentDetailNavigationSplitViewStyle: NavigationSplitViewStyle {
  /// The last column with all the space.
  nonisolated public init() {}
}

extension NavigationSplitViewStyle where Self == AutomaticNavigationSplitViewStyle {
  /// As Apple's systems choose.
  nonisolated public static var automatic: AutomaticNavigationSplitViewStyle { AutomaticNavigationSplitViewStyle() }
}

extension NavigationSplitViewStyle where Self == BalancedNavigationSplitViewStyle {
  /// All columns with a space of their own.
  nonisolated public static var balanced: BalancedNavigationSplitViewStyle { BalancedNavigationSplitViewStyle() }
}

extension NavigationSplitViewStyle where Self == ProminentDetailNavigationSplitViewStyle {
  /// The last column with all the space.
  nonisolated public static var prominentDetail: ProminentDetailNavigationSplitViewStyle {
    ProminentDetailNavigationSplitViewStyle()
  }
}

/// How a group box looks on Apple's screens; all look alike here.
public protocol GroupBoxStyle {}

/// As Apple's systems choose.
public struct DefaultGroupBoxStyle: GroupBoxStyle {
  /// As Apple's systems choose.
  nonisolated public init() {}
}

extension GroupBoxStyle where Self == DefaultGroupBoxStyle {
  /// As Apple's systems choose.
  nonisolated public static var automatic: DefaultGroupBoxStyle { DefaultGroupBoxStyle() }
}

/// How a text editor looks on Apple's screens; all look alike here.
public protocol TextEditorStyle {}

/// As Apple's systems choose.
public struct AutomaticTextEditorStyle: TextEditorStyle {
  /// As Apple's systems choose.
  nonisolated public init() {}
}

/// Without decoration.
public struct PlainTextEditorStyle: TextEditorStyle {
  /// Without decoration.
  nonisolated public init() {}
}

extension TextEditorStyle where Self == AutomaticTextEditorStyle {
  /// As Apple's systems choose.
  nonisolated public static var automatic: AutomaticTextEditorStyle { AutomaticTextEditorStyle() }
}

extension TextEditorStyle where Self == PlainTextEditorStyle {
  /// Without decoration.
  nonisolated public static var plain: PlainTextEditorStyle { PlainTextEditorStyle() }
}

/// How a group of controls looks on Apple's screens; all look alike here.
public protocol ControlGroupStyle {}

/// As Apple's systems choose.
public struct AutomaticControlGroupStyle: ControlGroupStyle {
  /// As Apple's systems choose.
  nonisolated public init() {}
}

/// As buttons that lead on.
public struct NavigationControlGroupStyle: ControlGroupStyle {
  /// As buttons that lead on.
  nonisolated public init() {}
}

extension ControlGroupStyle where Self == AutomaticControlGroupStyle {
  /// As Apple's systems choose.
  nonisolated public static var automatic: AutomaticControlGroupStyle { AutomaticControlGroupStyle() }
}

extension ControlGroupStyle where Self == NavigationControlGroupStyle {
  /// As buttons that lead on.
  nonisolated public static var navigation: NavigationControlGroupStyle { NavigationControlGroupStyle() }
}

/// How the dots of pages looks on Apple's screens; all look alike here.
public protocol IndexViewStyle {}

/// Dots.
public struct PageIndexViewStyle: IndexViewStyle {
  /// Dots.
  nonisolated public init() {}
}

extension IndexViewStyle where Self == PageIndexViewStyle {
  /// Dots.
  nonisolated public static var page: PageIndexViewStyle { PageIndexViewStyle() }
}
