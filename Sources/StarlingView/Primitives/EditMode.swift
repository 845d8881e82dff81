public import StarlingBinding
import StarlingModel

/// Whether a person is arranging what they otherwise use.
public enum EditMode: Hashable, Sendable {
  /// They use it.
  case inactive
  /// They arrange one thing; hosts here do not begin this by themselves.
  case transient
  /// They arrange it.
  case active

  /// Whether they arrange it.
  public var isEditing: Bool { self != .inactive }
}

extension EnvironmentValues {
  private static let editModeKey = EntryKey<Binding<EditMode>?>(nil)

  /// Whether a person is arranging what stands here. A host has one for all; `EditButton` writes it.
  public var editMode: Binding<EditMode>? {
    get { self[Self.editModeKey] }
    set { self[Self.editModeKey] = newValue }
  }
}

/// Begins and ends arranging: “Edit”, “Done”.
public struct EditButton: View {
  @Environment(\.editMode) private var editMode

  /// A button that writes the environment's `editMode`.
  public init() {}

  public var body: some View {
    let isEditing = editMode?.wrappedValue.isEditing ?? false
    Button(isEditing ? "Done" : "Edit") { editMode?.wrappedValue = isEditing ? .inactive : .active }
  }
}

/// Which rows a list lets a person change by itself.
public struct EditActions<Data>: OptionSet, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// Rows can be moved.
  public static var move: EditActions { EditActions(rawValue: 1) }
  /// Rows can be deleted.
  public static var delete: EditActions { EditActions(rawValue: 2) }
  /// Rows can be moved and deleted.
  public static var all: EditActions { [.move, .delete] }
}

extension View {
  /// Keeps a person from deleting the row, or not.
  public func deleteDisabled(_ isDisabled: Bool) -> some View {
    MarkedView(content: self) { if isDisabled { $0.row.isDeleteDisabled = true } }
  }

  /// Keeps a person from moving the row, or not.
  public func moveDisabled(_ isDisabled: Bool) -> some View {
    MarkedView(content: self) { if isDisabled { $0.row.isMoveDisabled = true } }
  }
}
