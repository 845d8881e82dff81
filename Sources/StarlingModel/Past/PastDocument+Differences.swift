/// A model that is opened by name: its class and the name.
public struct NamedModel: Sendable {
  /// The name of the model.
  public let name: String
  let schema: AnyModelSchema

  /// The model of that class and name.
  public init<Model: ReplicatedModel>(_ type: Model.Type, named name: String) {
    self.init(name: name, schema: Model._$schema)
  }

  init(name: String, schema: AnyModelSchema) {
    self.name = name
    self.schema = schema
  }
}

extension PastDocument {
  /// What looks different in `later`, which need not be later, in the words of the program: by model, property and
  /// element. What the named models do not hold is told by keys (`DocumentDifferences.rest`).
  ///
  /// - Parameters:
  ///   - later: The version to compare with.
  ///   - models: by their names; everything that stands in them is found from there.
  /// - Throws: `ModelError` where a class belongs to an actor that the caller is not on.
  /// - Complexity: O(slots of both versions); of the models those are made that differ, with what holds them.
  public func differences(to later: PastDocument, in models: [NamedModel]) throws(ModelError) -> DocumentDifferences {
    // Instances of their own: of a class that is not Sendable nobody else is to have them.
    let former = try PastReading(historic, in: models)
    var comparison = PastComparison(from: former, to: try PastReading(later.historic, in: models))
    return comparison.differences()
  }
}
