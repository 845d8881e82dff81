/// What is known of the witnesses of one document, by their numbers.
struct WitnessLedger {
  var written: Set<Int> = []
  /// Taken away on purpose: undone, taken back, restored to a version without them.
  var excused: Set<Int> = []
}
