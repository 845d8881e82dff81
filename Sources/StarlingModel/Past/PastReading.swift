import StarlingCore
import StarlingEngine

/// A version of a document that is read through its models, from those that have names down to the objects that are
/// asked for, and no others.
///
/// ```
///   object ── which slot does it stand in? ──► holder ── … ──► a model with a name
///   instance, label ◄── property, element ──── instance ◄── … ── opened
/// ```
///
/// Used by one thread.
final class PastReading {
  let document: Document
  let space: ModelSpace
  private var located: [ObjectID: Located?] = [:]
  /// Instances stay for as long as they are read.
  private var kept: [AnyObject] = []

  /// A model, and the way to it.
  struct Model {
    var attachment: Attachment
    /// The nearest model around it, or itself, that can come and go; what is declared in that stands as long.
    var identity: ObjectID
    var steps: [Step]
    /// How many of the steps lead on from the identity.
    var innerCount: Int
    var root: NamedModel
    /// What it stands in; nil of a model that has a name.
    var holder: Holder?
  }

  struct Holder {
    var object: ObjectID
    var field: Int
    var element: PropertyPlace.Element?
  }

  /// A property, and an element of it, on the way to a model.
  struct Step {
    var property: String
    var element: PropertyPlace.Element?
  }

  enum Located {
    case model(Model)
    /// What stands behind a property of the model that holds several things.
    case container(of: Model, field: Int, KeyedCore?)

    var model: Model {
      switch self {
      case .model(let model), .container(let model, field: _, _): model
      }
    }
  }

  init(_ historic: HistoricDocument, in named: [NamedModel]) throws(ModelError) {
    document = historic.document.opened
    space = ModelSpace(past: HistoricDocument(id: historic.id, document: document), reportsUnreadable: false)
    for root in named {
      let model = try root.schema.open(named: root.name, in: space)
      guard let attachment = model._$model.attachment else { continue }
      kept.append(model)
      let found = Model(attachment: attachment, identity: attachment.object, steps: [], innerCount: 0, root: root)
      located[attachment.object] = .some(.model(found))
    }
  }

  // MARK: Finding

  /// What the object is; nil where it does not stand in this version, or in no model that is known.
  func locate(_ object: ObjectID) -> Located? {
    // From the holder that is known down, one after the other: a chain of a thousand models is more than a stack holds.
    var (chain, next) = ([object], object)
    while !located.keys.contains(next), let (holder, _) = document.slot(of: next) {
      next = holder
      chain.append(holder)
    }
    for object in chain.reversed() where !located.keys.contains(object) {
      located[object] = .some(locateByHolder(object))
    }
    return located[object] ?? nil
  }

  private func locateByHolder(_ object: ObjectID) -> Located? {
    guard let (holder, key) = document.slot(of: object), let outer = locate(holder) else { return nil }
    switch outer {
    case .model(let model):
      guard let field = model.attachment.schema.field(at: key) else { return nil }
      return locate(object, in: model, field, element: nil)
    case .container(let model, let field, let core):
      if let instance = core?.shown(at: key) { kept.append(instance as AnyObject) }
      return locate(object, in: model, field, element: element(key, in: holder))
    }
  }

  private func locate(_ object: ObjectID, in outer: Model, _ field: Int, element: PropertyPlace.Element?) -> Located? {
    switch space.resident(object) {
    case .members(_, let field)?: return .container(of: outer, field: field, nil)
    case .keyed(let core)?: return .container(of: outer, field: field, core)
    case .model(let attachment)?:
      guard let instance = attachment.model else { return nil }
      kept.append(instance)
      let isDeclared = element == nil && shape(of: field, in: outer) != .slot
      return .model(
        Model(
          attachment: attachment, identity: isDeclared ? outer.identity : object,
          steps: outer.steps + [Step(property: name(of: field, in: outer), element: element)],
          innerCount: isDeclared ? outer.innerCount + 1 : 0, root: outer.root,
          holder: Holder(object: outer.attachment.object, field: field, element: element)))
    case nil: return nil
    }
  }

  /// The same model in this version as `model` in another one; nil where it did not stand.
  func counterpart(of model: Model) -> Model? {
    guard case .model(let identity)? = locate(model.identity) else { return nil }
    if model.innerCount == 0 { return identity }
    // Nobody need have written it in this version: what is declared is open with the model around it.
    guard case .model(let attachment)? = space.resident(model.attachment.object) else { return nil }
    return Model(
      attachment: attachment, identity: model.identity, steps: identity.steps + model.steps.suffix(model.innerCount),
      innerCount: model.innerCount, root: identity.root)
  }

  // MARK: Fields

  func shape(of field: Int, in model: Model) -> FieldShape {
    guard let instance = model.attachment.model else { return .slot }
    return model.attachment.schema.shape(of: field, in: instance)
  }

  func name(of field: Int, in model: Model) -> String {
    guard let key = model.attachment.schema.names[field]?.key else { return "" }
    if case .name(let name) = key { return name }
    return "\(key)"
  }

  func content(of field: Int, in model: Model) -> Any? {
    model.attachment.model.flatMap { instance in
      Self.content(of: field, instance, model.attachment.schema)
    }
  }

  private static func content(of field: Int, _ instance: AnyObject, _ schema: AnyModelSchema) -> Any? {
    var visitor = FieldVisitor(.peek, of: schema.state(of: instance))
    schema.visit(any: instance, field, &visitor)
    return visitor.content
  }

  /// The object behind a property that holds several things.
  func container(of field: Int, in model: Model) -> (object: ObjectID, core: KeyedCore?)? {
    let shape = shape(of: field, in: model)
    guard let names = model.attachment.schema.names[field] else { return nil }
    switch shape {
    case .slot, .object(.map): return nil
    case .members(let kind), .object(let kind):
      let object = ObjectID.derived(parent: model.attachment.object, key: names.key(for: shape), kind: kind)
      guard case .keyed(let core)? = space.resident(object) else { return (object, nil) }
      return (object, core)
    }
  }

  // MARK: Showing

  func place(of model: Model) -> ModelPlace {
    ModelPlace(
      type: model.attachment.schema.typeName, id: model.attachment.object, rootType: model.root.schema.typeName,
      rootName: model.root.name,
      path: model.steps.map { $0.property + ($0.element.map { "\($0)" } ?? "") }.joined(separator: "."))
  }

  func place(of field: Int, in model: Model, _ element: PropertyPlace.Element? = nil) -> PropertyPlace {
    PropertyPlace(model: place(of: model), property: name(of: field, in: model), element: element)
  }

  /// Where a model stands that has no name.
  func stand(of object: ObjectID) -> PropertyPlace? {
    guard let holder = locate(object)?.model.holder, let outer = locate(holder.object)?.model else { return nil }
    return place(of: holder.field, in: outer, holder.element)
  }

  /// The element of a list or dictionary under its key.
  func element(_ key: Key, in container: ObjectID) -> PropertyPlace.Element? {
    if case .element(let dot) = key { return document.index(of: dot, in: container).map { .index($0) } }
    return .key(key.asSwift)
  }

  func shown(_ content: Any?) -> ShownValue {
    guard let content = unwrapped(content) else { return ShownValue(text: "nil") }
    if let model = content as? any ReplicatedModel { return ShownValue(text: text(of: model), model: place(of: model)) }
    guard let reference = content as? any AnyReplicatedReference else { return ShownValue(text: plain(content)) }
    guard let object = reference.referredObject else { return ShownValue(text: "nil") }
    guard case .model(let target)? = locate(object) else {
      return ShownValue(text: document.isLive(object) ? "a model in none of those named" : "nil")
    }
    let place = place(of: target)
    return ShownValue(text: "\(place)", model: place)
  }

  private func place(of model: any ReplicatedModel) -> ModelPlace? {
    guard let object = model._$model.attachment?.object, case .model(let found)? = locate(object) else { return nil }
    return place(of: found)
  }

  /// The class, and the values that differ from the defaults.
  private func text(of model: any ReplicatedModel) -> String {
    guard let attachment = model._$model.attachment else { return "\(type(of: model))" }
    let schema = attachment.schema
    let standard = attachment.prototype.model
    let values = schema.replicated.compactMap { field -> String? in
      guard schema.shape(of: field, in: model) == .slot, case .name(let name)? = schema.names[field]?.key,
        let content = unwrapped(Self.content(of: field, model, schema)),
        !(content is any ReplicatedModel || content is any AnyReplicatedReference)
      else { return nil }
      let text = plain(content)
      let usual = unwrapped(Self.content(of: field, standard, schema)).map { plain($0) }
      return text == usual ? nil : "\(name): \(text)"
    }
    return "\(schema.typeName)(\(values.joined(separator: ", ")))"
  }
}

/// What an optional holds, however deep it is one.
func unwrapped(_ content: Any?) -> Any? {
  guard let content else { return nil }
  let mirror = Mirror(reflecting: content)
  guard mirror.displayStyle == .optional else { return content }
  return unwrapped(mirror.children.first?.value)
}

/// A value as Swift prints it.
private func plain(_ content: Any) -> String {
  (content as? String)?.debugDescription ?? "\(content)"
}

extension Key {
  /// As it is written in Swift; bytes in hexadecimal digits, sixteen of them grouped as in a UUID.
  fileprivate var asSwift: String {
    switch self {
    case .name(let name): return name.debugDescription
    case .integer(let integer): return "\(integer)"
    case .element: return "\(self)"
    case .bytes(let bytes):
      var text = ""
      for (place, byte) in bytes.enumerated() {
        if bytes.count == 16, [4, 6, 8, 10].contains(place) { text += "-" }
        text += (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
      return text
    }
  }
}
