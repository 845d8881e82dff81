#if NATS
  import StarlingCore
  import StarlingEngine

  /// The members of a document, as the body of a call.
  ///
  /// ```
  ///   | store, 8 | heardAt, 8 | acknowledged, a version |   for each
  /// ```
  enum MembersBody {
    static func encode(_ members: [LogMember]) -> [UInt8] {
      var bytes: [UInt8] = []
      for member in members {
        bytes.append(number: member.store.rawValue)
        bytes.append(number: member.heardAt)
        bytes.append(version: member.acknowledged)
      }
      return bytes
    }

    /// Nil for bytes of another shape.
    static func decode(_ bytes: [UInt8]) -> [LogMember]? {
      var rest = bytes[...]
      var members: [LogMember] = []
      while !rest.isEmpty {
        guard let store = rest.takeNumber(8), let heardAt = rest.takeNumber(8), let version = rest.takeVersion() else {
          return nil
        }
        members.append(LogMember(store: StoreID(rawValue: store), acknowledged: version, heardAt: heardAt))
      }
      return members
    }
  }

  /// What is leased of a document, as the body of a call.
  ///
  /// ```
  ///   | replica, 8 | number, 8 | counter, 8 | marks, 1 | holder, 8 | key, a text |   for each
  /// ```
  ///
  /// Bit 0 of the marks says that there is a holder, bit 1 that there is a key; what is not there is left out.
  enum LeasesBody {
    private static let hasHolder: UInt64 = 1
    private static let hasKey: UInt64 = 2

    static func encode(_ leases: [LogLease]) -> [UInt8] {
      var bytes: [UInt8] = []
      for lease in leases {
        bytes.append(number: lease.replica.rawValue)
        bytes.append(number: lease.number)
        bytes.append(number: lease.counter)
        bytes.append(UInt8((lease.holder == nil ? 0 : hasHolder) | (lease.user == nil ? 0 : hasKey)))
        if let holder = lease.holder { bytes.append(number: holder.rawValue) }
        if let user = lease.user { bytes.append(text: user) }
      }
      return bytes
    }

    /// Nil for bytes of another shape.
    static func decode(_ bytes: [UInt8]) -> [LogLease]? {
      var rest = bytes[...]
      var leases: [LogLease] = []
      while !rest.isEmpty {
        guard let replica = rest.takeNumber(8), let number = rest.takeNumber(8), let counter = rest.takeNumber(8),
          let marks = rest.takeNumber(1), marks <= hasHolder | hasKey
        else { return nil }
        var lease = LogLease(
          replica: ReplicaID(rawValue: replica), number: number, counter: counter, holder: nil, user: nil)
        if marks & hasHolder != 0 {
          guard let holder = rest.takeNumber(8) else { return nil }
          lease.holder = StoreID(rawValue: holder)
        }
        if marks & hasKey != 0 {
          guard let user = rest.takeText() else { return nil }
          lease.user = user
        }
        leases.append(lease)
      }
      return leases
    }
  }
#endif
