import StarlingCore

extension LiveEncoder {
  /// What the stream said so far. A stream begins with the initial state, or again (`beginAgain`): then the entries of
  /// the tables keep their places, so that what was looked up once is not hashed again, and are numbered as they are
  /// said.
  ///
  /// ```
  /// place        0     1     2     3
  /// slots      [ a ] [ b ] [ c ] [ d ]     the third stream said d and b so far
  /// said       2, 1  3, 1  2, 0  3, 0      stream, number
  /// ```
  ///
  /// In the first stream a place is a number.
  struct State: Sendable {
    /// Places of the entries, as all that follow but `slot`.
    var writer: Int?
    var stamp = Stamp(rawValue: 0)
    /// The number of the slot of the previous operation; -1 before the first.
    var slot = -1
    var cursor = SequenceCursor()

    var replicas: [ReplicaEntry] = []
    var names: [NameEntry] = []
    var objects: [ObjectEntry] = [ObjectEntry(id: .root, said: Said(stream: 0, number: 0))]
    var slots: [SlotEntry] = []
    var load = TableLoad()

    /// Which stream is written, and how many entries it has said.
    var stream: UInt32 = 0
    var said = SaidCounts()

    var replicaPlaces: [ReplicaID: Int] = [:]
    /// Keyed by `Key.name`: two spellings of one text are two names.
    var namePlaces: [Key: Int] = [:]
    var objectPlaces: [ObjectID: Int] = [.root: 0]
    var slotIndex = SlotIndex()
    var hinted = HintedSlots()
    var passing = PassingElements()
    var latestReplica = 0
    /// Bytes of the names, and of byte keys, about.
    var keptKeyByteCount = 0
    /// Counts changes; an object marked with it is listed in the present one.
    var generation: UInt64 = 0

    @inline(__always)
    func hasSaid(_ said: Said) -> Bool { said.stream == stream }
  }

  /// Which stream said an entry last, and under which number.
  struct Said: Sendable {
    let stream: UInt32
    private let place: UInt32

    var number: Int { Int(place) }

    static let never = Said(stream: .max, number: 0)

    @inline(__always)
    init(stream: UInt32, number: Int) {
      self.stream = stream
      place = UInt32(truncatingIfNeeded: number)
    }

    /// Under the next number of its kind.
    @inline(__always)
    init(stream: UInt32, next: inout Int) {
      self.init(stream: stream, number: next)
      next += 1
    }
  }

  struct SaidCounts: Sendable {
    var replicas = 0
    var names = 0
    /// With the root, which every stream knows.
    var objects = 1
    var slots = 0
  }

  struct ReplicaEntry: Sendable {
    var id: ReplicaID
    var counter: UInt64
    var said = Said.never
  }

  struct NameEntry: Sendable {
    var text: String
    var said: Said
  }

  struct ObjectEntry: Sendable {
    var id: ObjectID
    /// The place of what it is derived from; -1 for objects that are not derived, or whose definition the stream never
    /// said.
    var parent = -1
    /// Of one that is defined, as the next two.
    var kind = Kind.map
    /// The place of a key that is a name.
    var name: Int?
    /// Any other key.
    var key: Key?
    /// Derived ancestors and itself.
    var depth = 0
    var mark: UInt64 = 0
    var said: Said
    /// Whether the object has another place since, with a definition or without.
    var isReplaced = false

    var isDefined: Bool { parent >= 0 }
  }

  struct SlotEntry: Sendable {
    struct Last: Equatable, Sendable {
      var replica: Int
      /// 0 where no dot stands.
      var counter: UInt64
    }

    var object: Int
    var objectID: ObjectID
    var key: Key
    /// The place of a key that is a name.
    var name: Int?
    /// The dot of the last `set`, or where the share of the last `increment` began.
    var last = nothing
    var said = Said.never

    static let nothing = Last(replica: 0, counter: 0)
  }
}

extension LiveEncoder.State {
  /// What an encoder that begins again keeps at most between two streams; what it names further is looked up again.
  private static let keptCountMax = 16_384
  private static let keptKeyByteCountMax = 1 << 20

  /// Begins another stream, in which nothing was said.
  ///
  /// - Complexity: O(1)
  mutating func beginAgain() {
    guard mayBeKept else {
      self = Self()
      return
    }
    stream += 1
    said = LiveEncoder.SaidCounts()
    objects[0].said = LiveEncoder.Said(stream: stream, number: 0)
    load = TableLoad()
    writer = nil
    stamp = Stamp(rawValue: 0)
    slot = -1
    cursor = SequenceCursor()
    passing = LiveEncoder.PassingElements()
  }

  /// How many entries are kept.
  var keptCount: Int { replicas.count + names.count + objects.count + slots.count }

  private var mayBeKept: Bool {
    replicas.count <= Self.keptCountMax && names.count <= Self.keptCountMax && objects.count <= Self.keptCountMax
      && slots.count <= Self.keptCountMax && keptKeyByteCount <= Self.keptKeyByteCountMax && stream < .max - 1
  }
}
