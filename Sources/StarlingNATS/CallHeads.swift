#if NATS
  import StarlingCore
  import StarlingEngine

  // The heads of calls, byte for byte. Numbers are little-endian; a text is its byte count in four bytes and its UTF-8;
  // a version the number of its entries in four bytes and, for each, replica and counter in eight. Reading takes all of
  // the bytes, or gives nil.

  /// The process that holds the log from here on.
  ///
  /// ```
  ///   | store, 8 | holder, a text |
  /// ```
  struct OpenedHead: Equatable {
    var store: StoreID
    /// In words, for whoever is displaced.
    var holder: String

    var encoded: [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(number: store.rawValue)
      bytes.append(text: holder)
      return bytes
    }

    init(store: StoreID, holder: String) {
      self.store = store
      self.holder = holder
    }

    init?(decoding bytes: [UInt8]) {
      var rest = bytes[...]
      guard let store = rest.takeNumber(8), let holder = rest.takeText(), rest.isEmpty else { return nil }
      self.init(store: StoreID(rawValue: store), holder: holder)
    }
  }

  /// What a close in good order leaves: the replica id, and how far it got in each document that it wrote to.
  ///
  /// ```
  ///   | replica, 8 | n, 4 | document, a text | counter, 8 |   n times, by the documents' names
  /// ```
  struct ClosedHead: Equatable {
    var replica: ReplicaID
    var heads: [Head]

    struct Head: Equatable {
      var document: DocumentID
      var counter: UInt64
    }

    init(replica: ReplicaID, heads: [Head]) {
      self.replica = replica
      self.heads = heads.sorted { $0.document.name < $1.document.name }
    }

    var encoded: [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(number: replica.rawValue)
      bytes.append(number: UInt32(heads.count))
      for head in heads {
        bytes.append(text: head.document.name)
        bytes.append(number: head.counter)
      }
      return bytes
    }

    init?(decoding bytes: [UInt8]) {
      var rest = bytes[...]
      guard let replica = rest.takeNumber(8), let count = rest.takeCount(of: 13) else { return nil }
      var heads: [Head] = []
      for _ in 0..<count {
        guard let document = rest.takeDocument(), let counter = rest.takeNumber(8) else { return nil }
        heads.append(Head(document: document, counter: counter))
      }
      guard rest.isEmpty else { return nil }
      self.init(replica: ReplicaID(rawValue: replica), heads: heads)
    }
  }

  /// What is appended. The records' bytes are the body, one after the other.
  ///
  /// ```
  ///   | n, 4 | document, a text | records before, 8 |                              n times
  ///   | m, 4 | document's place above, 4 | replica, 8 | first, 8 | last, 8 | byte count, 8 |   m times
  /// ```
  ///
  /// How many records of a document stand before, counted from those that the last snapshot left, tells whether one was
  /// lost.
  struct RecordsHead: Equatable {
    struct Entry: Equatable {
      var document: Int
      var replica: ReplicaID
      var firstCounter: UInt64
      var lastCounter: UInt64
      var byteCount: Int
    }

    var documents: [DocumentID] = []
    var countsBefore: [UInt64] = []
    var entries: [Entry] = []

    var encoded: [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(number: UInt32(documents.count))
      for (document, count) in zip(documents, countsBefore) {
        bytes.append(text: document.name)
        bytes.append(number: count)
      }
      bytes.append(number: UInt32(entries.count))
      for entry in entries {
        bytes.append(number: UInt32(entry.document))
        bytes.append(number: entry.replica.rawValue)
        bytes.append(number: entry.firstCounter)
        bytes.append(number: entry.lastCounter)
        bytes.append(number: UInt64(entry.byteCount))
      }
      return bytes
    }

    init() {}

    /// - Parameter bodyByteCount: what the records' bytes come to.
    init?(decoding bytes: [UInt8], bodyByteCount: Int) {
      var rest = bytes[...]
      guard let documentCount = rest.takeCount(of: 13) else { return nil }
      for _ in 0..<documentCount {
        guard let document = rest.takeDocument(), let count = rest.takeNumber(8) else { return nil }
        documents.append(document)
        countsBefore.append(count)
      }
      guard let entryCount = rest.takeCount(of: 36) else { return nil }
      var left = UInt64(bodyByteCount)
      for _ in 0..<entryCount {
        guard let document = rest.takeNumber(4), document < documents.count, let replica = rest.takeNumber(8),
          let first = rest.takeNumber(8), let last = rest.takeNumber(8), 1 <= first, first <= last, last < 1 << 63,
          let byteCount = rest.takeNumber(8), byteCount <= left
        else { return nil }
        left -= byteCount
        entries.append(
          Entry(
            document: Int(document), replica: ReplicaID(rawValue: replica), firstCounter: first, lastCounter: last,
            byteCount: Int(byteCount)))
      }
      guard rest.isEmpty, left == 0 else { return nil }
    }
  }

  /// A state, whose bytes are the body, in place of the records that its version covers.
  ///
  /// ```
  ///   | document, a text | records that are left, 8 | version |                    of a `snapshot`
  ///   | document, a text | records that are left, 8 | version | n, 4 | kept ... |  of a `keepingSnapshot`
  ///   kept                                                | replica, 8 | counter, 8 |  n times, by the replicas
  /// ```
  struct SnapshotHead: Equatable {
    var document: DocumentID
    var countLeft: UInt64
    var version: VersionVector
    /// Beyond which counters the records of some writers stay although the version covers them. May name a counter of
    /// 0.
    var kept: [ReplicaID: UInt64] = [:]

    var kind: StreamPart.Kind { kept.isEmpty ? .snapshot : .keepingSnapshot }

    var encoded: [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(text: document.name)
      bytes.append(number: countLeft)
      bytes.append(version: version)
      guard !kept.isEmpty else { return bytes }
      bytes.append(number: UInt32(kept.count))
      for (replica, counter) in kept.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        bytes.append(number: replica.rawValue)
        bytes.append(number: counter)
      }
      return bytes
    }

    /// Whether a record stays in the log beside a snapshot at `version`.
    static func leaves(
      _ replica: ReplicaID, upTo lastCounter: UInt64, at version: VersionVector, keeping kept: [ReplicaID: UInt64]
    ) -> Bool {
      lastCounter > min(version[replica], kept[replica] ?? .max)
    }

    init(document: DocumentID, countLeft: UInt64, version: VersionVector, kept: [ReplicaID: UInt64] = [:]) {
      self.document = document
      self.countLeft = countLeft
      self.version = version
      self.kept = kept
    }

    init?(decoding bytes: [UInt8], as kind: StreamPart.Kind) {
      var rest = bytes[...]
      guard let document = rest.takeDocument(), let count = rest.takeNumber(8), let version = rest.takeVersion() else {
        return nil
      }
      self.init(document: document, countLeft: count, version: version)
      if kind == .keepingSnapshot {
        guard let keptCount = rest.takeCount(of: 16), keptCount > 0 else { return nil }
        var former: UInt64?
        for _ in 0..<keptCount {
          guard let replica = rest.takeNumber(8), let counter = rest.takeNumber(8), former.map({ $0 < replica }) ?? true
          else { return nil }
          former = replica
          kept[ReplicaID(rawValue: replica)] = counter
        }
      }
      guard rest.isEmpty else { return nil }
    }
  }

  /// A state, whose bytes are the body, beside the records that its version covers.
  ///
  /// ```
  ///   | document, a text | weight of those records, 8 | version |
  /// ```
  struct CheckpointHead: Equatable {
    var document: DocumentID
    var recordByteCount: UInt64
    var version: VersionVector

    var encoded: [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(text: document.name)
      bytes.append(number: recordByteCount)
      bytes.append(version: version)
      return bytes
    }

    init(document: DocumentID, recordByteCount: UInt64, version: VersionVector) {
      self.document = document
      self.recordByteCount = recordByteCount
      self.version = version
    }

    init?(decoding bytes: [UInt8]) {
      var rest = bytes[...]
      guard let document = rest.takeDocument(), let weight = rest.takeNumber(8), weight < 1 << 62,
        let version = rest.takeVersion(), rest.isEmpty
      else { return nil }
      self.init(document: document, recordByteCount: weight, version: version)
    }
  }

  /// How often the store was started, and what is known of the starts of others.
  ///
  /// ```
  ///   | own, 8 | store, 8 | generation, 8 | epoch, 8 | name, a text |   from the second on for each other store
  /// ```
  struct GenerationsHead: Equatable {
    var generations: StoredGenerations

    var encoded: [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(number: generations.own)
      for other in generations.others {
        for number in [other.store.rawValue, other.generation, other.epoch] { bytes.append(number: number) }
        bytes.append(text: other.name)
      }
      return bytes
    }

    init(_ generations: StoredGenerations) {
      self.generations = generations
    }

    init?(decoding bytes: [UInt8]) {
      var rest = bytes[...]
      guard let own = rest.takeNumber(8), own < 1 << 62 else { return nil }
      generations = StoredGenerations(own: own)
      while !rest.isEmpty {
        guard let store = rest.takeNumber(8), let generation = rest.takeNumber(8), let epoch = rest.takeNumber(8),
          let name = rest.takeText()
        else { return nil }
        generations.others.append(
          StoredGenerations.Other(
            store: StoreID(rawValue: store), name: name, generation: generation, epoch: epoch))
      }
    }
  }

  /// The documents that are forgotten.
  ///
  /// ```
  ///   | n, 4 | name, a text |   n times, in their order
  /// ```
  struct ForgottenHead: Equatable {
    var documents: [DocumentID]

    var encoded: [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(number: UInt32(documents.count))
      for document in documents { bytes.append(text: document.name) }
      return bytes
    }

    init(_ documents: some Sequence<DocumentID>) {
      self.documents = documents.sorted { $0.name < $1.name }
    }

    init?(decoding bytes: [UInt8]) {
      var rest = bytes[...]
      guard let count = rest.takeCount(of: 5) else { return nil }
      documents = []
      for _ in 0..<count {
        guard let document = rest.takeDocument() else { return nil }
        documents.append(document)
      }
      guard rest.isEmpty else { return nil }
    }
  }

  /// A store that is moved from one place to another.
  ///
  /// ```
  ///   | stage, 1 | store, 8 | the other place, a text |
  /// ```
  struct MovedHead: Equatable {
    enum Stage: UInt8 {
      /// It comes from there. What was in the stream before counts no more, and what follows not yet.
      case coming = 1
      /// All of it is here, and it is gone there.
      case here = 2
      /// It is there, and nothing in the stream counts any more.
      case gone = 3
    }

    var stage: Stage
    var store: StoreID
    var place: String

    var encoded: [UInt8] {
      var bytes = [stage.rawValue]
      bytes.append(number: store.rawValue)
      bytes.append(text: place)
      return bytes
    }

    init(_ stage: Stage, of store: StoreID, _ place: String) {
      (self.stage, self.store, self.place) = (stage, store, place)
    }

    init?(decoding bytes: [UInt8]) {
      var rest = bytes[...]
      guard let stage = rest.popFirst().flatMap(Stage.init), let store = rest.takeNumber(8),
        let place = rest.takeText(),
        rest.isEmpty
      else { return nil }
      self.init(stage, of: StoreID(rawValue: store), place)
    }
  }

  /// The document whose members, or leases, the body lists.
  ///
  /// ```
  ///   | document, a text |
  /// ```
  struct DocumentHead: Equatable {
    var document: DocumentID

    var encoded: [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(text: document.name)
      return bytes
    }

    init(document: DocumentID) {
      self.document = document
    }

    init?(decoding bytes: [UInt8]) {
      var rest = bytes[...]
      guard let document = rest.takeDocument(), rest.isEmpty else { return nil }
      self.init(document: document)
    }
  }
#endif
