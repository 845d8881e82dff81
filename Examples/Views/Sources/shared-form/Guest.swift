import Starling

/// What the form shows: one object, in every process that has it open.
@Replicated @MainActor final class Guest {
  var name = ""
  var dish = ""
  var isComing = false
  var companions = 0
}

/// A field of the form, as the others are told of it.
enum Field: String {
  case name
  case dish
  case isComing
  case companions
}

extension PresenceKey<Field> {
  /// The field that somebody is in.
  static let field = PresenceKey("field")
}
