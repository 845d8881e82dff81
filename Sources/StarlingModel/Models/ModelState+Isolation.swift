import StarlingGraph

extension ModelState {
  /// Reports, in debug builds and once a property, a use off the actor that the model was opened on.
  ///
  /// No memory is raced for, since cells are locked. But code on the actor counts on nothing changing between two
  /// of its lines, and a write from elsewhere does that.
  @inlinable
  func checkIsolation<Model: ReplicatedModel>(of model: Model, _ field: Int, isWrite: Bool) {
    #if DEBUG
      reportIfElsewhere(model, field, isWrite: isWrite)
    #endif
  }

  @usableFromInline
  func reportIfElsewhere<Model: ReplicatedModel>(_ model: Model, _ field: Int, isWrite: Bool) {
    guard let isolation, !isolation.isCurrent else { return }
    ModelIncident.reportOnce(.usedElsewhere(property: Model._$schema.label(of: field), isWrite: isWrite))
  }
}
