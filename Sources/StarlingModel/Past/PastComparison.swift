import StarlingCore
import StarlingEngine

/// What differs between two versions, from slots to properties of models.
///
/// ```
///   slots that differ ── whose are they, on either side? ──► fields, entries, lists, texts of models
///                            └── of no model that is known ──► rest
///   a model that stands on one side alone is told once, where it came or went, and not by what it holds
/// ```
struct PastComparison {
  private let former: PastReading
  private let later: PastReading
  private var found: [(order: [String], difference: ModelDifference)] = []
  /// Models that left a place, and those that entered one; one that did both is moved.
  private var left: [ObjectID: (place: PropertyPlace, value: ShownValue)] = [:]
  private var came: [ObjectID: (place: PropertyPlace, value: ShownValue)] = [:]
  /// Models whose holder, in one version or the other, stands on one side alone.
  private var uncertain: Set<ObjectID> = []
  private var rest = Difference()

  /// A model as it stands on both sides.
  private typealias Both = (former: PastReading.Model, later: PastReading.Model)

  private struct Field: Hashable {
    var object: ObjectID
    var id: Int
  }

  init(from former: PastReading, to later: PastReading) {
    self.former = former
    self.later = later
  }

  /// - Complexity: O(slots of both documents + what differs)
  mutating func differences() -> DocumentDifferences {
    let raw = former.document.difference(to: later.document)
    var fields: [Field: Both] = [:]
    var keys: [Field: Set<Key>] = [:]
    for entry in raw.entries {
      guard let owner = owner(of: entry.object) else {
        if !isRoot(entry) { rest.entries.append(entry) }
        continue
      }
      guard let both = owner.both else {
        for case .value(.object, let dot) in [entry.from, entry.to] { uncertain.insert(.assigned(by: dot)) }
        continue
      }
      let field = owner.field ?? both.later.attachment.schema.field(at: entry.key)
      guard let field else {
        rest.entries.append(entry)
        continue
      }
      let name = Field(object: both.later.attachment.object, id: field)
      fields[name] = both
      if owner.field != nil { keys[name, default: []].insert(entry.key) }
    }
    for list in raw.lists {
      guard let owner = owner(of: list.object) else {
        rest.lists.append(list)
        continue
      }
      if let both = owner.both, let field = owner.field {
        fields[Field(object: both.later.attachment.object, id: field)] = both
      }
    }
    for text in raw.texts {
      guard let owner = owner(of: text.object) else {
        rest.texts.append(text)
        continue
      }
      if let both = owner.both, let field = owner.field {
        fields[Field(object: both.later.attachment.object, id: field)] = both
      }
    }
    for (field, both) in fields { compare(field.id, both, keys[field] ?? []) }
    tellMoves()
    tellUnreadable(raw)
    let models = found.sorted { $0.order.lexicographicallyPrecedes($1.order) }.map(\.difference)
    return DocumentDifferences(models: models, rest: rest)
  }

  /// The model that the object belongs to; nil where it belongs to no model that is known. `both` is nil where that
  /// stands on one side alone; `field` is nil where the object is the model itself.
  private func owner(of object: ObjectID) -> (both: Both?, field: Int?)? {
    let (there, here) = (former.locate(object), later.locate(object))
    guard let located = here ?? there else { return nil }
    var field: Int?
    if case .container(of: _, let id, _) = located { field = id }
    guard let there = there?.model ?? former.counterpart(of: located.model),
      let here = here?.model ?? later.counterpart(of: located.model)
    else { return (nil, field) }
    return ((there, here), field)
  }

  /// Whether it says no more than that somebody wrote a model that has a name.
  private func isRoot(_ entry: Difference.Entry) -> Bool {
    guard entry.object == .root else { return false }
    return later.locate(.derived(parent: .root, key: entry.key, kind: .map)) != nil
  }

  // MARK: One property

  private mutating func compare(_ field: Int, _ both: Both, _ keys: Set<Key>) {
    switch later.shape(of: field, in: both.later) {
    case .slot: compareSlot(field, both)
    case .object(.text): compareText(field, both)
    case .members(.list), .object(.list): compareList(field, both, keys)
    case .members(.set): compareSet(field, both)
    case .members: compareDictionary(field, both)
    // What a model or record holds, that tells itself.
    case .object(.map): break
    case .object(let kind): compareKeyed(field, both, keys, isSet: kind == .set)
    }
  }

  private mutating func compareSlot(_ field: Int, _ both: Both) {
    let (old, new) = (former.content(of: field, in: both.former), later.content(of: field, in: both.later))
    if let old = old as? ReplicatedCounter, let new = new as? ReplicatedCounter {
      if old != new { add(.counted(from: old.value, to: new.value), later.place(of: field, in: both.later)) }
      return
    }
    compare(old, former.place(of: field, in: both.former), new, later.place(of: field, in: both.later))
  }

  /// What stands at a place in both versions.
  private mutating func compare(_ old: Any?, _ formerPlace: PropertyPlace, _ new: Any?, _ place: PropertyPlace) {
    let (old, new) = (unwrapped(old), unwrapped(new))
    let (model, newModel) = (old as? any ReplicatedModel, new as? any ReplicatedModel)
    if model != nil || newModel != nil {
      if let model, let newModel, model._$model.attachment?.object == newModel._$model.attachment?.object { return }
      if let model { leave(model, formerPlace) }
      if let newModel { arrive(newModel, place) }
      return
    }
    let (from, to) = (former.shown(old), later.shown(new))
    let isOther: Bool
    if let old = old as? any AnyReplicatedReference, let new = new as? any AnyReplicatedReference {
      // Where the target stands does not concern a reference to it.
      isOther = old.referredObject != new.referredObject
    } else {
      isOther = from.text != to.text || areEqual(old, new as Any) == false
    }
    if isOther { add(.changed(from: from, to: to), place) }
  }

  private mutating func compareText(_ field: Int, _ both: Both) {
    guard let old = former.container(of: field, in: both.former)?.core as? TextStorage,
      let new = later.container(of: field, in: both.later)?.core as? TextStorage
    else { return }
    let (from, to) = (Array(old.present.string.unicodeScalars), Array(new.present.string.unicodeScalars))
    let head = CommonEnds.prefix(from, to, isSame: ==)
    if head == from.count, head == to.count { return }
    let tail = CommonEnds.suffix(from, to, from: head, isSame: ==)
    func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
      String(String.UnicodeScalarView(scalars))
    }
    add(
      .edited(
        offset: head, removed: text(from[head..<from.count - tail]), inserted: text(to[head..<to.count - tail])),
      later.place(of: field, in: both.later))
  }

  // MARK: Sets and dictionaries

  private mutating func compareSet(_ field: Int, _ both: Both) {
    guard let old = former.content(of: field, in: both.former) as? Set<AnyHashable>,
      let new = later.content(of: field, in: both.later) as? Set<AnyHashable>
    else { return }
    for member in old.subtracting(new) { remove(former.shown(member.base), former.place(of: field, in: both.former)) }
    for member in new.subtracting(old) {
      add(.added(later.shown(member.base)), later.place(of: field, in: both.later))
    }
  }

  private mutating func compareDictionary(_ field: Int, _ both: Both) {
    guard let old = former.content(of: field, in: both.former) as? [AnyHashable: Any],
      let new = later.content(of: field, in: both.later) as? [AnyHashable: Any]
    else { return }
    for key in Set(old.keys).union(new.keys) {
      compareEntry(.key(later.shown(key.base).text), field, both, old[key], new[key])
    }
  }

  private mutating func compareKeyed(_ field: Int, _ both: Both, _ keys: Set<Key>, isSet: Bool) {
    guard let old = former.container(of: field, in: both.former), let new = later.container(of: field, in: both.later)
    else { return }
    for key in keys {
      let (was, stands) = (old.core?.shown(at: key), new.core?.shown(at: key))
      guard case .key(let name)? = later.element(key, in: new.object) else { continue }
      guard isSet else {
        compareEntry(.key(name), field, both, was, stands)
        continue
      }
      if was != nil, stands == nil { remove(ShownValue(text: name), former.place(of: field, in: both.former)) }
      if was == nil, stands != nil { add(.added(ShownValue(text: name)), later.place(of: field, in: both.later)) }
    }
  }

  private mutating func compareEntry(
    _ element: PropertyPlace.Element, _ field: Int, _ both: Both, _ old: Any?, _ new: Any?
  ) {
    let from = former.place(of: field, in: both.former, element)
    let to = later.place(of: field, in: both.later, element)
    switch (old, new) {
    case (nil, nil): break
    case (let old?, let new?): compare(old, from, new, to)
    case (let old?, nil): depart(old, from)
    case (nil, let new?): enter(new, to)
    }
  }

  // MARK: Lists

  /// The elements of a list with what tells them apart; `keys` are empty where nobody has written the list.
  private struct Elements {
    var names: [AnyHashable]
    var value: (Int) -> Any?
  }

  private func elements(_ field: Int, _ model: PastReading.Model, _ side: PastReading, byValue: Bool) -> Elements? {
    guard let (object, core) = side.container(of: field, in: model) else { return nil }
    let dots = side.document.elements(in: object)
    if let core, core.shownDefault == nil, !byValue {
      return Elements(names: dots.map { AnyHashable($0) }) { core.shown(at: .element(dots[$0])) }
    }
    let values: [Any]
    if let core {
      values = core.shownDefault ?? dots.compactMap { core.shown(at: .element($0)) }
    } else {
      guard let content = side.content(of: field, in: model) as? [Any] else { return nil }
      values = content
    }
    if !byValue, values.count == dots.count { return Elements(names: dots.map { AnyHashable($0) }) { values[$0] } }
    return Elements(names: values.map { AnyHashable(side.shown($0).text) }) { values[$0] }
  }

  /// Whether the elements have names of their own: a default has none, nor has a list that holds what cannot be shown.
  private func hasNames(_ field: Int, _ model: PastReading.Model, _ side: PastReading) -> Bool {
    guard let (object, core) = side.container(of: field, in: model) else { return false }
    if let core { return core.shownDefault == nil }
    return (side.content(of: field, in: model) as? [Any])?.count == side.document.elements(in: object).count
  }

  private mutating func compareList(_ field: Int, _ both: Both, _ keys: Set<Key>) {
    let byValue = !hasNames(field, both.former, former) || !hasNames(field, both.later, later)
    guard let old = elements(field, both.former, former, byValue: byValue),
      let new = elements(field, both.later, later, byValue: byValue)
    else { return }
    let steps = ListDifference(from: old.names, to: new.names, mayRewrite: false).steps
    var stays = Set<Int>()
    for (index, step) in steps.enumerated() {
      let place = later.place(of: field, in: both.later, .index(index))
      switch step {
      case .new: if let value = new.value(index) { enter(value, place) }
      case .kept(let former), .moved(let former), .rewritten(let former):
        stays.insert(former)
        if case .moved = step { add(.movedElement(from: former), place) }
        guard let dot = new.names[index].base as? Dot, keys.contains(.element(dot)) else { continue }
        let from = self.former.place(of: field, in: both.former, .index(former))
        compare(old.value(former), from, new.value(index), place)
      }
    }
    for index in old.names.indices where !stays.contains(index) {
      guard let value = old.value(index) else { continue }
      depart(value, former.place(of: field, in: both.former, .index(index)))
    }
  }

  // MARK: Coming and going

  private mutating func enter(_ value: Any, _ place: PropertyPlace) {
    if let model = unwrapped(value) as? any ReplicatedModel { return arrive(model, place) }
    add(.added(later.shown(value)), place)
  }

  private mutating func depart(_ value: Any, _ place: PropertyPlace) {
    if let model = unwrapped(value) as? any ReplicatedModel { return leave(model, place) }
    remove(former.shown(value), place)
  }

  private mutating func arrive(_ model: any ReplicatedModel, _ place: PropertyPlace) {
    guard let object = model._$model.attachment?.object else { return }
    came[object] = (place, later.shown(model))
  }

  private mutating func leave(_ model: any ReplicatedModel, _ place: PropertyPlace) {
    guard let object = model._$model.attachment?.object else { return }
    left[object] = (place, former.shown(model))
  }

  private mutating func tellMoves() {
    for object in uncertain.union(left.keys).union(came.keys) {
      let (departure, arrival) = (left[object], came[object])
      // What holds it may have come or gone with it, and tells nothing of what it holds.
      let from = departure?.place ?? former.stand(of: object)
      let to = arrival?.place ?? later.stand(of: object)
      switch (from, to) {
      case (nil, nil): break
      case (_?, nil): if let departure { remove(departure.value, departure.place) }
      case (nil, _?): if let arrival { add(.added(arrival.value), arrival.place) }
      case (let from?, let to?):
        let isInOneProperty = from.model.id == to.model.id && from.property == to.property
        if isInOneProperty, from.element == to.element { continue }
        if isInOneProperty, case .index(let index)? = from.element {
          add(.movedElement(from: index), to)
        } else {
          add(.movedModel(from: from), to)
        }
      }
    }
  }

  /// What stands at a place and cannot be read as its property's type is told by keys.
  private mutating func tellUnreadable(_ raw: Difference) {
    let places = (former.space.unreadableValues + later.space.unreadableValues).map { SlotName($0.object, $0.key) }
    guard !places.isEmpty else { return }
    let unreadable = Set(places)
    rest.entries += raw.entries.filter { unreadable.contains(SlotName($0.object, $0.key)) }
    rest.entries.sort { ($0.object, $0.key) < ($1.object, $1.key) }
  }

  private struct SlotName: Hashable {
    var object: ObjectID
    var key: Key

    init(_ object: ObjectID, _ key: Key) { (self.object, self.key) = (object, key) }
  }

  // MARK: Telling

  private mutating func remove(_ value: ShownValue, _ place: PropertyPlace) {
    add(.removed(value), place)
  }

  private mutating func add(_ change: ModelDifference.Change, _ place: PropertyPlace) {
    let difference = ModelDifference(place: place, change: change)
    let part =
      switch place.element {
      case .index(let index)?: Self.ordered("[\(index)]")
      case .key(let key)?: key
      case nil: ""
      }
    found.append(
      (
        [
          place.model.rootName, place.model.rootType, Self.ordered(place.model.path), place.property, part, "\(change)",
        ],
        difference
      ))
  }

  /// Text in which numbers are ordered as numbers.
  private static func ordered(_ text: String) -> String {
    var (ordered, digits) = ("", "")
    for character in text + " " {
      if character.isASCII, character.isNumber {
        digits.append(character)
      } else {
        if !digits.isEmpty { ordered += String(repeating: "0", count: max(0, 20 - digits.count)) + digits }
        digits = ""
        ordered.append(character)
      }
    }
    return ordered
  }
}
