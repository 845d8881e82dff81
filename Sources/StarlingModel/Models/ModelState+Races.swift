import StarlingGraph

#if DEBUG
  extension ModelState {
    /// Says once of a number that another thread wrote it between the reading and the writing of a change in place.
    ///
    /// It notices what happened until now, not what happens between this look and the write.
    @usableFromInline
    func checkRace<Model: ReplicatedModel, C: FieldCoding>(
      _ edit: Edit<C.Content>, _ field: borrowing Field<C.Content>, _ id: Int, _ model: Model, _ coding: C
    ) {
      guard C.Content.self is any Numeric.Type, !coding.isSame(field.cell.peek(in: home), edit.old) else { return }
      ModelIncident.reportOnce(.racedEdit(property: Model._$schema.label(of: id)))
    }
  }
#endif
