import StarlingCore

/// What the table knows an attachment by as long as its instance lives, whose state alone holds it.
///
/// Whoever refers to an object weakly lets each of its references be counted apart from it, which takes several times as
/// long: here the table does that to something that nobody else counts.
final class Residence: Sendable {
  let attachment: Attachment

  init(_ attachment: Attachment) { self.attachment = attachment }

  deinit {
    if attachment.hasDependents { attachment.space.noteOutlived(attachment) }
  }
}

/// The objects of one document that somebody holds, by identity. Everything in it is weak.
struct ObjectTable {
  /// One of them, looked at where it stands: a copy of a weak reference costs more than the look.
  struct Resident: @unchecked Sendable {
    // Sendable: a weak reference is read atomically, and here never written again; what comes of the object is for the
    // one who takes it out, on the object's isolation.
    fileprivate enum Role {
      case model
      /// The members of a plain set, dictionary or array, which are read as one field of a model.
      case members(field: Int)
      case keyed
    }

    fileprivate let role: Role
    /// A residence, or the core of a keyed collection.
    fileprivate private(set) weak var holder: AnyObject?

    static func model(_ residence: Residence) -> Resident { Resident(role: .model, holder: residence) }

    static func members(_ residence: Residence, field: Int) -> Resident {
      Resident(role: .members(field: field), holder: residence)
    }

    static var nobody: Resident { Resident(role: .model, holder: nil) }

    static func keyed(_ core: KeyedCore) -> Resident { Resident(role: .keyed, holder: core) }

    // Mutating though it alters nothing: of what is not, a copy would be asked.
    fileprivate mutating func live(besides other: AnyObject? = nil) -> Live? {
      guard let holder, holder !== other else { return nil }
      return switch role {
      case .model: .model(unsafeDowncast(holder, to: Residence.self).attachment)
      case .members(let field): .members(unsafeDowncast(holder, to: Residence.self).attachment, field: field)
      case .keyed: .keyed(unsafeDowncast(holder, to: KeyedCore.self))
      }
    }
  }

  /// A resident taken out of the table, alive as long as the caller holds it.
  enum Live {
    case model(Attachment)
    case members(Attachment, field: Int)
    case keyed(KeyedCore)

    var delivery: Delivery? {
      switch self {
      case .model(let attachment), .members(let attachment, field: _): attachment.delivery
      case .keyed(let core): core.attachment?.delivery
      }
    }
  }

  private struct Row {
    var object: ObjectID
    /// Nobody in a row that was given back.
    var resident: Resident
  }

  private var rows: ContiguousArray<Row> = []
  private var free: [Int] = []
  private var index = HandleIndex()
  private let salt = makeSalt()

  var count: Int { index.count }

  private func place(of object: ObjectID) -> Int? {
    index.find(hash: spread(object, salt: salt)) { rows[$0].object == object }
  }

  mutating func resident(_ object: ObjectID) -> Live? {
    place(of: object).flatMap { rows[$0].resident.live() }
  }

  /// All models, alive as long as the caller holds them.
  var models: [Attachment] {
    mutating get {
      rows.indices.compactMap { place in
        if case .model(let attachment)? = rows[place].resident.live() { attachment } else { nil }
      }
    }
  }

  /// Gives the object to the attachment if `present`, which the caller knows to be done, still has it.
  ///
  /// - Returns: The instance that has it otherwise, alive for the caller to release outside the table's lock.
  mutating func claim(_ residence: Residence, from present: Attachment?) -> Live? {
    let found = resident(residence.attachment.object)
    if case .model(let other)? = found, other !== present { return found }
    _ = add(.model(residence), at: residence.attachment.object)
    return found
  }

  /// - Returns: What stood for the object until now, alive for the caller to release outside the table's lock.
  mutating func add(_ resident: Resident, at object: ObjectID) -> Live? {
    if let place = place(of: object) {
      let displaced = rows[place].resident.live(besides: resident.holder)
      rows[place].resident = resident
      return displaced
    }
    let row = Row(object: object, resident: resident)
    let place = free.popLast() ?? rows.count
    if place < rows.count { rows[place] = row } else { rows.append(row) }
    let (rows, salt) = (rows, salt)
    index.insert(place, hash: spread(object, salt: salt)) { spread(rows[$0].object, salt: salt) }
    return nil
  }

  /// Forgets the object unless somebody has taken its place.
  ///
  /// - Returns: The instance that has, alive for the caller to release outside the table's lock.
  mutating func sweep(_ object: ObjectID) -> Live? {
    let live = resident(object)
    if live == nil, let place = place(of: object) { remove(place) }
    return live
  }

  private mutating func remove(_ place: Int) {
    do {
      let (rows, salt) = (rows, salt)
      index.remove(place, hash: spread(rows[place].object, salt: salt)) { spread(rows[$0].object, salt: salt) }
    }
    rows[place].resident = .nobody
    if index.count > 0 { return free.append(place) }
    (rows, free, index) = ([], [], HandleIndex())
  }
}

extension ObjectTable.Live {
  /// What a change at `key` concerns here; nil where the key is not known to this program.
  ///
  /// - Parameter delivery: nil for any; of another than that it concerns nothing.
  consuming func subject(at key: Key, conflictsChanged: Bool, on delivery: Delivery? = nil) -> Subject? {
    switch consume self {
    case .model(let attachment):
      guard delivery == nil || attachment.delivery === delivery, let field = attachment.schema.field(at: key) else {
        return nil
      }
      // An entry under one name of a field stands beside those under the others.
      let mayConflict = conflictsChanged || attachment.schema.hasOtherNames(field)
      return Subject(attachment: attachment, field: field, conflictsChanged: mayConflict)
    case .members(let attachment, let field):
      guard delivery == nil || attachment.delivery === delivery else { return nil }
      return Subject(attachment: attachment, field: field)
    case .keyed(let core):
      guard let attachment = core.attachment, delivery == nil || attachment.delivery === delivery else { return nil }
      if core.knows(key) { return Subject(attachment: attachment, member: key, of: core) }
      return ObjectTable.Live.keyed(core).subjectOfSequence
    }
  }

  /// Takes in edits that were made elsewhere. Under the document's lock, as all that follows.
  func note(_ edits: [SequenceEdit]) {
    switch self {
    case .keyed(let core as SequenceCore): core.note(edits)
    case .members(let attachment, let field):
      attachment.listKey(of: field).map { attachment.lists.note(edits, $0) }
    case .model, .keyed: break
    }
  }

  /// An element holds another value.
  func note(altered element: Dot) {
    guard case .members(let attachment, let field) = self, let key = attachment.listKey(of: field) else { return }
    attachment.lists.note(altered: element, key)
  }

  /// What is visible has nothing to do with what the document holds from now on.
  func startAgain(_ document: borrowing Document) {
    switch self {
    case .keyed(let core as SequenceCore): core.startAgain(document)
    case .members(let attachment, let field): attachment.listKey(of: field).map { attachment.lists.startAgain($0) }
    case .model, .keyed: break
    }
  }

  /// What a change of a list's or text's order concerns here.
  var subjectOfSequence: Subject? {
    switch self {
    case .members(let attachment, let field): Subject(attachment: attachment, field: field)
    case .keyed(let core as SequenceCore): core.attachment.map { Subject(attachment: $0, itemsOf: core) }
    case .model, .keyed: nil
    }
  }
}

/// One thing that a change concerns: a field of a model, a member of a keyed collection, or which items stand where
/// in a list or text.
struct Subject: Equatable {
  enum Target: Equatable {
    case field(Int)
    case member(Key, ObjectIdentifier)
    case items(ObjectIdentifier)
  }

  let attachment: Attachment
  let core: KeyedCore?
  let target: Target
  /// Whether the conflict changed; no part of what the subject is.
  var conflictsChanged = false

  init(attachment: Attachment, field: Int, conflictsChanged: Bool = false) {
    self.attachment = attachment
    core = nil
    target = .field(field)
    self.conflictsChanged = conflictsChanged
  }

  init(attachment: Attachment, member: Key, of core: KeyedCore) {
    self.attachment = attachment
    self.core = core
    target = .member(member, ObjectIdentifier(core))
  }

  init(attachment: Attachment, itemsOf core: SequenceCore) {
    self.attachment = attachment
    self.core = core
    target = .items(ObjectIdentifier(core))
  }

  var delivery: Delivery { attachment.delivery }

  /// Whether changes of one slot alone concern it.
  var isOfOneSlot: Bool {
    guard case .field(let field) = target else { return false }
    return attachment.schema.isStandard(field)
  }

  static func == (left: Subject, right: Subject) -> Bool {
    left.attachment === right.attachment && left.target == right.target
  }

  /// Equal of equal subjects.
  func hash(salt: UInt64) -> UInt64 {
    let holder = salt ^ UInt64(UInt(bitPattern: ObjectIdentifier(attachment)))
    return switch target {
    case .field(let field): spread(.integer(Int64(field)), salt: holder)
    case .member(let key, _): spread(key, salt: holder)
    case .items(let core): spread(.integer(Int64(Int(bitPattern: core))), salt: holder)
    }
  }
}
