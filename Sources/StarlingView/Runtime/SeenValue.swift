/// What a view saw at its last evaluation, to compare with at the next. Of its node, on the main actor; `LastValue` of
/// StarlingBinding is for readers on any thread.
final class SeenValue<Value> {
  var value: Value

  init(_ value: Value) {
    self.value = value
  }
}
